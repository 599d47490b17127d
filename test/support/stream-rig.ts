/**
 * The stream runtime between a source that does what a test says and a real SQLite file: what the broker would deliver is
 * delivered by hand, so that every order of things can be had.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createProgress,
  createSinkJudge,
  type FlushAnswer,
  type FlushRequest,
  migrate,
  openStore,
  type Progress,
  runStream,
  type Store,
  type StreamParts,
} from '../../consumer/index.ts';
import { createEncoder, frame, kafka, type Log, type LogFields, type SchemaLookup } from '../../wire/index.ts';
import { AGENT_DEVIATION } from '../../schemas/index.ts';
import { aDeviation, uuidNo } from './builders.ts';
import { aRecord, CONTRACTS, IDS } from './records.ts';
import { countersOf, positionsOf, select } from './stack-database.ts';
import { waitFor } from './wait-for.ts';

export const TOPIC = 'session-events';

const encoder = createEncoder(AGENT_DEVIATION);

/** The record at an offset: a deviation whose id is that of the offset, so that rows tell which records they came from. */
export const goodAt = (at: number): kafka.SourceRecord =>
  aRecord({
    offset: kafka.offset(at),
    value: frame(IDS.deviation, encoder.encode(aDeviation({ eventId: uuidNo(at) }))),
  });

/** Another event under the id of the record at `of`. */
export const clashAt = (at: number, of: number): kafka.SourceRecord =>
  aRecord({
    offset: kafka.offset(at),
    value: frame(IDS.deviation, encoder.encode(aDeviation({ eventId: uuidNo(of), tipo: 'reparo_pelo_usuario' }))),
  });

export const wrongAt = (at: number): kafka.SourceRecord =>
  aRecord({ offset: kafka.offset(at), value: Buffer.from('{') });

type Handlers = Parameters<kafka.Source['start']>[0];

/** One source: what it was told, and where its next fetch would ask. */
export interface SourceAtHand {
  /** `paused 0`, `sought 0 5`, `resumed 0`, `committed 0 5`, `stopped`, in order. */
  readonly told: readonly string[];
  readonly source: kafka.Source;
  readonly isStopped: () => boolean;
  readonly isFetching: (partition: number) => boolean;
  /** Where the next fetch of the partition asks. */
  readonly nextOf: (partition: number) => number;
  assign(...partitions: readonly number[]): void;
  /** What a fetch answers: records from where it asks, or these, under this or that. */
  deliver(partition: number, records: readonly kafka.SourceRecord[], more?: Partial<kafka.SourceBatch>): void;
  /** Settles once the last delivery is taken: until then the client would fetch nothing. */
  taken(): Promise<void>;
  /** A fetch that held nothing but markers. */
  pass(partition: number, lastOffset: number): void;
  crash(error: unknown): void;
}

interface FakeSource extends SourceAtHand {
  readonly isStarted: () => boolean;
}

const fakeSource = (said: (what: string) => void, onStart: () => Promise<void>): FakeSource => {
  const told: string[] = [];
  const next = new Map<number, number>();
  const fetching = new Set<number>();
  let lastTaken: Promise<void> = Promise.resolve();
  let handlers: Handlers | undefined;
  const tell = (what: string): void => {
    told.push(what);
    said(what);
  };
  const handled = (): Handlers => {
    if (handlers === undefined) throw new Error('the source was not started');
    return handlers;
  };
  return {
    told,
    isStarted: () => handlers !== undefined,
    isStopped: () => told.includes('stopped'),
    isFetching: (partition) => fetching.has(partition),
    nextOf: (partition) => next.get(partition) ?? 0,
    assign: (...partitions) => {
      fetching.clear();
      handled().assigned(partitions);
    },
    deliver: (partition, records, more = {}) => {
      const askedFor = kafka.offset(next.get(partition) ?? 0);
      const lastOffset = more.lastOffset ?? records.at(-1)?.offset ?? askedFor;
      next.set(partition, Number(lastOffset) + 1);
      lastTaken = Promise.resolve(handled().batch({ partition, askedFor, records, lastOffset, ...more }));
    },
    taken: () => lastTaken,
    pass: (partition, lastOffset) => {
      next.set(partition, lastOffset + 1);
      handled().passed(partition, kafka.offset(lastOffset));
    },
    crash: (error) => handled().crashed(error),
    source: {
      start: (given) => {
        handlers = given;
        return onStart();
      },
      pause: (partition) => {
        fetching.delete(partition);
        tell(`paused ${partition}`);
      },
      resume: (partition) => {
        fetching.add(partition);
        tell(`resumed ${partition}`);
      },
      seek: (partition, to) => {
        next.set(partition, Number(to));
        tell(`sought ${partition} ${to}`);
      },
      commit: (partition, to) => {
        tell(`committed ${partition} ${to}`);
        return Promise.resolve();
      },
      stop: () => {
        tell('stopped');
        return Promise.resolve();
      },
    },
  };
};

export interface LogLine extends LogFields {
  readonly level: string;
  readonly msg: string;
}

/** A log in memory. */
const logOf = (lines: LogLine[]): Log => {
  const at = (level: string) => (msg: string, fields?: LogFields) => void lines.push({ level, msg, ...fields });
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
};

export interface RigOptions {
  /** Between the runtime and the file: what a fault does to a call. */
  readonly wrap?: (store: Store) => Store;
  readonly acceptQuarantine?: boolean;
  readonly stopLimitMs?: number;
  /** What the log holds; 0 to 1,000,000 of every partition unless told otherwise. */
  readonly ends?: () => Promise<readonly kafka.PartitionEnds[]>;
  readonly committed?: (partition: number) => Promise<kafka.Offset | undefined>;
  readonly lookup?: SchemaLookup;
  /** Told what a source is told. */
  readonly onTold?: (what: string) => void;
  /** What joining the group leads to. */
  readonly onStart?: () => Promise<void>;
  readonly watchMs?: number;
  /** The clock of the watchdog, in milliseconds. */
  readonly tickMs?: () => number;
}

export interface StreamUnderTest {
  readonly lines: readonly LogLine[];
  readonly progress: Progress;
  /** What store and source were told, in one order. */
  readonly trace: readonly string[];
  /** The n-th source that was started, from 1 on. */
  source(nth?: number): Promise<SourceAtHand>;
  readonly sourceCount: () => number;
  /** The first source with these partitions claimed and fetching. */
  reading(...partitions: readonly number[]): Promise<SourceAtHand>;
  stop(): void;
  /** Undefined after a clean stop, else what it rejected with. */
  readonly ended: Promise<unknown>;
}

export interface Rig {
  readonly file: string;
  start(options?: RigOptions): Promise<StreamUnderTest>;
  /** The store itself, for what somebody else does. */
  openStore(): Promise<Store>;
  rows(): readonly number[];
  /** `offset reason` each. */
  quarantine(): readonly string[];
  position(partition: number): number | undefined;
  counters(): ReturnType<typeof countersOf>;
  /** Waits until the database's position is there. */
  positionIs(partition: number, offset: number): Promise<void>;
  close(): Promise<void>;
}

const EVERYWHERE = (): Promise<readonly kafka.PartitionEnds[]> =>
  Promise.resolve([0, 1, 2].map((partition) => ({ partition, start: kafka.offset(0), end: kafka.offset(1_000_000) })));

const LOOKUP: SchemaLookup = {
  cached: (id) => CONTRACTS.get(id),
  contractOf: (id) => Promise.resolve(CONTRACTS.get(id) ?? { kind: 'unknown-id' }),
};

/** A store whose flush goes through this. */
export const flushing =
  (flush: (request: FlushRequest, really: Store['flush']) => Promise<FlushAnswer>) =>
  (store: Store): Store => ({ ...store, flush: (request) => flush(request, store.flush) });

export const openRig = async (): Promise<Rig> => {
  const folder = await mkdtemp(join(tmpdir(), 'stream-rig-'));
  const file = join(folder, 'session-events.db');
  const settings = { url: `sqlite:${file}` };
  await migrate(settings);
  const closing: (() => Promise<unknown>)[] = [];

  const open = async (): Promise<Store> => {
    const store = await openStore(settings);
    closing.push(() => store.close());
    return store;
  };

  const start = async (options: RigOptions = {}): Promise<StreamUnderTest> => {
    const lines: LogLine[] = [];
    const trace: string[] = [];
    const sources: FakeSource[] = [];
    const progress = createProgress(Date.now, options.tickMs);
    const stopping = new AbortController();
    const file = await open();
    const store = options.wrap?.(file) ?? file;
    const parts: StreamParts = {
      consumer: 'sink',
      topic: TOPIC,
      createSource: () => {
        const made = fakeSource(
          (what) => {
            trace.push(what);
            options.onTold?.(what);
          },
          options.onStart ?? (() => Promise.resolve()),
        );
        sources.push(made);
        return made.source;
      },
      ends: options.ends ?? EVERYWHERE,
      committed: options.committed ?? (() => Promise.resolve(undefined)),
      store: {
        ...store,
        claim: (key, given) => {
          trace.push(`claims ${key.partition}`);
          return store.claim(key, given);
        },
      },
      lookup: options.lookup ?? LOOKUP,
      judge: createSinkJudge({ agents: undefined }),
      progress,
      acceptQuarantine: options.acceptQuarantine ?? false,
      ...(options.stopLimitMs === undefined ? {} : { stopLimitMs: options.stopLimitMs }),
      ...(options.watchMs === undefined ? {} : { watchMs: options.watchMs }),
      log: logOf(lines),
    };
    const ended = runStream(parts, stopping.signal).then(
      () => undefined,
      (error: unknown) => error,
    );
    closing.unshift(() => {
      stopping.abort();
      return ended;
    });
    const seen = (): string => lines.map((line) => JSON.stringify(line)).join('\n');
    const source = (nth = 1): Promise<FakeSource> =>
      waitFor(`source ${nth} to be started`, () => sources[nth - 1]?.isStarted() === true && sources[nth - 1], {
        seen,
      });
    return {
      lines,
      trace,
      progress,
      source,
      sourceCount: () => sources.length,
      reading: async (...partitions) => {
        const first = await source();
        first.assign(...partitions);
        await waitFor(`partitions ${partitions.join()} to be read`, () => partitions.every(first.isFetching), { seen });
        return first;
      },
      stop: () => stopping.abort(),
      ended,
    };
  };

  const position = (partition: number): number | undefined => {
    const at = positionsOf(file, 'sink').get(partition);
    return at === undefined ? undefined : Number(at);
  };

  return {
    file,
    start,
    openStore: open,
    rows: () =>
      select(file, 'select log_offset from session_events order by log_offset').map((row) => Number(row.log_offset)),
    quarantine: () =>
      select(file, 'select log_offset, reason from quarantine order by log_offset').map(
        (row) => `${String(row.log_offset)} ${String(row.reason)}`,
      ),
    position,
    counters: () => countersOf(file, 'sink'),
    positionIs: async (partition, offset) => {
      await waitFor(`the position of partition ${partition} to be ${offset}`, () => position(partition) === offset, {
        seen: () => `it is ${position(partition)}`,
      });
    },
    close: async () => {
      for (const close of closing) await close();
      await rm(folder, { recursive: true });
    },
  };
};

/** Offsets as a range, the end excluded. */
export const upTo = (end: number, from = 0): readonly number[] =>
  Array.from({ length: end - from }, (_, index) => from + index);
