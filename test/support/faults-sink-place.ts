/** Where one seed of a consumers' fault happens: a topic, a group, a database and a load of its own, on servers that are shared. */
import { join } from 'node:path';
import type { OwnPostgres } from './embedded-postgres.ts';
import { type Rng, rngOf } from './faults-rng.ts';
import type { SinkWish } from './faults-sink.ts';
import { openDatabase, type SinkDatabase, type StoreKind } from './faults-sink-database.ts';
import { type LoadShape, openLoad, type SinkLoad } from './faults-sink-load.ts';
import type { Mutant } from './faults-sink-mutants.ts';
import { judgeSink, type Loss } from './faults-sink-oracle.ts';
import { inAll, readTopicByAnotherClient, type TopicLog } from './faults-sink-topic.ts';
import type { Tried } from './faults-tries.ts';
import { type Ended, REPOSITORY, type RunningProcess } from './processes.ts';
import type { Scene } from './stack-scene.ts';
import { brokers, committedOf, createTopic, endsOf } from './topics.ts';
import { waitFor } from './wait-for.ts';

/** Our own broker gives a dead member's place away sooner than one that was given will. */
export const SESSION_TIMEOUT_MS = process.env['TEST_STACK_KIND'] === 'given' ? 6_000 : 1_500;

/** A limit, not a figure: a busy machine takes its time. */
export const CATCH_UP_LIMIT_MS = 90_000;

export interface Starting extends Partial<SinkWish> {
  /** The product itself unless given. */
  readonly mutant?: Mutant | undefined;
  readonly env?: Readonly<Record<string, string>>;
}

export interface SinkPlace {
  readonly seed: number;
  readonly rng: Rng;
  readonly topic: string;
  readonly group: string;
  readonly database: SinkDatabase;
  readonly load: SinkLoad;
  start(starting?: Starting): RunningProcess;
  /** `deviations …` with this place's settings. */
  run(args: readonly string[]): Promise<Ended>;
  positions(): Promise<ReadonlyMap<number, bigint>>;
  /** How often its partitions were claimed so far. */
  claims(): Promise<number>;
  isCaughtUp(): Promise<boolean>;
  /** Whether any partition's position is the end of its log. */
  isCaughtUpAnywhere(): Promise<boolean>;
  /** Waits until the positions are the ends of the log; a sink that ends meanwhile ends the waiting. */
  caughtUp(sinks: readonly RunningProcess[], limitMs?: number): Promise<void>;
  /** Ends a sink as an operator does. */
  stop(sink: RunningProcess): Promise<void>;
  /** Likewise, however it ends. */
  askToStop(sink: RunningProcess): Promise<void>;
  /** Takes down, now, whether the group was told more than the database has, or a row lies behind the position. */
  look(): Promise<void>;
  /** Takes the topic down as it is, before some of it is deleted. */
  remember(): Promise<void>;
  /** It is made anew from here on: what was taken down belongs to its former life. */
  reborn(): void;
  /** Records of this life were read before the halt, and are read and counted again by the operator's decision. */
  readAgain(): void;
  lose(loss: Loss): void;
  judge(): Promise<Tried>;
  close(): Promise<void>;
}

const SINK = join(REPOSITORY, 'test', 'support', 'faults-sink.ts');
const HOOK = join(REPOSITORY, 'test', 'support', 'faults-sink-mutant-hook.ts');

export interface PlaceWish {
  readonly name: string;
  readonly seed: number;
  readonly store: StoreKind;
  readonly partitions: number;
  readonly shape: LoadShape;
}

/** Events of one seed are those of no other, also on one database. */
const EVENTS_OF_A_SEED = 1_000_000;

export const openPlace = async (scene: Scene, server: OwnPostgres, wish: PlaceWish): Promise<SinkPlace> => {
  const { name, seed, store, partitions, shape } = wish;
  const topic = `${scene.topic}-${name}`;
  const group = `${topic}-sink`;
  scene.alsoRemove({ topics: [topic], groups: [group] });
  const [database] = await Promise.all([
    openDatabase(store, scene.folder, name, server),
    createTopic(topic, partitions),
  ]);
  const load = await openLoad(topic, seed * EVENTS_OF_A_SEED, rngOf(seed + EVENTS_OF_A_SEED), shape);
  const env = { SESSION_EVENTS_TOPIC: topic, DATABASE_URL: database.url };
  const running: RunningProcess[] = [];
  const [ahead, losses]: [string[], Loss[]] = [[], []];
  let isReadAgain = false;
  /** What was seen of the topic in each of its lives. */
  const lives: TopicLog[][] = [[]];
  const read = async (): Promise<void> => void lives.at(-1)?.push(await readTopicByAnotherClient(topic, brokers()));

  const positions = async (): Promise<ReadonlyMap<number, bigint>> =>
    new Map(
      (
        await database.select(
          `select partition, next_offset from stream_positions where topic = '${topic}' and next_offset is not null`,
        )
      ).map((row) => [Number(row.partition), BigInt(String(row.next_offset))]),
    );

  const isAt = async (ends: ReadonlyMap<number, bigint>): Promise<boolean> => {
    const at = await positions();
    return [...ends].every(([partition, end]) => end === 0n || at.get(partition) === end);
  };

  const claims = async (): Promise<number> => {
    const [row] = await database.select(
      `select coalesce(sum(epoch), 0) as n from stream_positions where topic = '${topic}'`,
    );
    return Number(row?.n);
  };

  const look = async (): Promise<void> => {
    // The commit first: the position, asked for later, can only have moved on.
    const committed = await committedOf(group, topic);
    const at = await positions();
    for (const [partition, offset] of committed) {
      if (offset > (at.get(partition) ?? 0n)) ahead.push(`partition ${partition}: ${offset} > ${at.get(partition)}`);
    }
    // Rows of a former life lie anywhere.
    if (lives.length > 1) return;
    const rows = await database.select(
      `select partition, max(log_offset) as last from session_events where topic = '${topic}' group by partition`,
    );
    const after = await positions();
    for (const row of rows) {
      const [partition, last] = [Number(row.partition), BigInt(String(row.last))];
      const position = after.get(partition) ?? 0n;
      if (last >= position) ahead.push(`partition ${partition}: row ${last} >= ${position}`);
    }
  };

  const said = (sinks: readonly RunningProcess[]): string =>
    sinks.map((sink) => `sink ${sink.pid}:\n${sink.stderr()}`).join('\n');

  const askToStop = async (sink: RunningProcess): Promise<void> => {
    // Before that there is nothing in it that would hear it.
    await waitFor(
      'the sink to be ready, or its end',
      () => !sink.isRunning() || sink.log().some(({ msg }) => msg === 'ready'),
      { seen: sink.stderr },
    );
    sink.kill('SIGTERM');
  };

  return {
    seed,
    rng: rngOf(seed),
    topic,
    group,
    database,
    load,
    positions,
    claims,
    look,
    start: ({ mutant, env: more = {}, ...given } = {}) => {
      const sinkWish: SinkWish = { group, sessionTimeoutMs: SESSION_TIMEOUT_MS, ...given };
      const args = mutant === undefined ? [SINK] : [`--import=${HOOK}`, SINK];
      const sink = scene.startScript(args[0] ?? SINK, args.slice(1), {
        ...env,
        FAULT_SINK: JSON.stringify(sinkWish),
        ...(mutant === undefined ? {} : { FAULT_SINK_MUTANT: mutant }),
        ...more,
      });
      running.push(sink);
      return sink;
    },
    run: (args) => scene.run(args, '', env),
    isCaughtUp: async () => isAt(await endsOf(topic)),
    isCaughtUpAnywhere: async () => {
      const at = await positions();
      return [...(await endsOf(topic))].some(([partition, end]) => at.get(partition) === end);
    },
    caughtUp: async (sinks, limitMs = CATCH_UP_LIMIT_MS) => {
      const ends = await endsOf(topic);
      await waitFor(
        `${topic} on ${store} to be read to its ends`,
        async () => {
          const ended = sinks.find((sink) => !sink.isRunning());
          if (ended !== undefined) throw new Error(`a sink ended\n${said([ended])}`);
          return isAt(ends);
        },
        { limitMs, seen: () => said(sinks) },
      );
    },
    askToStop,
    stop: async (sink) => {
      await askToStop(sink);
      const { code, stderr } = await sink.ended();
      if (code !== 0) throw new Error(`a sink that was told to stop ended with ${code}\n${stderr}`);
    },
    remember: read,
    reborn: () => void lives.push([]),
    readAgain: () => {
      isReadAgain = true;
    },
    lose: (loss) => void losses.push(loss),
    judge: async () => {
      await look();
      await read();
      const { verdict, tally } = await judgeSink({ logs: lives.map(inAll), losses, database, topic });
      return { verdict: isReadAgain ? { ...verdict, miscounted: [], ahead: [] } : { ...verdict, ahead }, tally };
    },
    close: async () => {
      for (const sink of running) if (sink.isRunning()) sink.kill('SIGKILL');
      await Promise.all(running.map((sink) => sink.ended()));
      await load.close();
      await database.drop();
    },
  };
};
