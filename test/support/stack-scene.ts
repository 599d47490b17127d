/**
 * What one test has for itself on the stack that all tests share: a topic, two groups, a database file in a temporary
 * folder, and the processes it starts. Leaving the scene removes them all.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DatabaseSettings, migrate } from '../../consumer/index.ts';
import type { Consumer, kafka } from '../../wire/index.ts';
import { deviations, type Ended, REPOSITORY, type RunningProcess, startDeviations, startNode } from './processes.ts';
import { brokers, createTopic, registryUrl, removeFromBroker } from './topics.ts';

export const AGENTS_FILE = join(REPOSITORY, 'examples', 'agents.txt');

/** Where Node keeps what it compiled of a script, as the program itself does: half of what a start costs. */
const COMPILED = join(REPOSITORY, 'node_modules', '.cache', 'scripts');

export interface Scene {
  readonly topic: string;
  readonly groups: Readonly<Record<Consumer, string>>;
  readonly folder: string;
  readonly databaseFile: string;
  readonly kafka: kafka.KafkaSettings;
  /** For the program's processes: the stack, this topic, this database, the catalogue of the examples. */
  readonly env: Readonly<Record<string, string>>;
  /** Another name on the broker that is removed in the end. */
  alsoRemove(names: { readonly topics?: readonly string[]; readonly groups?: readonly string[] }): void;
  /** Another database of this test, migrated. */
  anotherDatabase(name: string): Promise<{ readonly file: string; readonly env: Readonly<Record<string, string>> }>;
  run(args: readonly string[], input?: string, env?: Readonly<Record<string, string>>): Promise<Ended>;
  start(args: readonly string[], env?: Readonly<Record<string, string>>, input?: string): RunningProcess;
  startScript(file: string, args: readonly string[], env?: Readonly<Record<string, string>>): RunningProcess;
  /** `deviations sink` or `graph` in this scene's group. */
  consume(consumer: Consumer): RunningProcess;
  leave(): Promise<void>;
}

export interface SceneOptions {
  readonly partitions?: number;
  /** `bare`: no topic, no schemas, no tables; a test that makes them itself, or wants them missing. */
  readonly bare?: boolean;
}

/** Settings of whoever runs the tests that must not leak into the program under test; colours neither. */
const NOT_INHERITED = /^(KAFKA_|SCHEMA_REGISTRY_|SESSION_|DATABASE_|AGENTS_FILE|OUTBOX_|LOG_LEVEL|FORCE_COLOR|TEST_)/;

const inherited = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && !NOT_INHERITED.test(entry[0]),
    ),
  );

export const databaseAt = (file: string): DatabaseSettings => ({ url: `sqlite:${file}` });

/** `name` shows in the names on the broker, so that one left behind says whose it was. */
export const enterScene = async (name: string, options: SceneOptions = {}): Promise<Scene> => {
  const run = `${name}-${randomUUID().slice(0, 8)}`;
  const topic = run;
  const groups = { sink: `${run}-sink`, graph: `${run}-graph` };
  const folder = mkdtempSync(join(tmpdir(), 'deviations-test-'));
  const databaseFile = join(folder, 'session-events.db');
  const env = {
    ...inherited(),
    KAFKA_BROKERS: brokers(),
    SCHEMA_REGISTRY_URL: registryUrl(),
    SESSION_EVENTS_TOPIC: topic,
    DATABASE_URL: databaseAt(databaseFile).url,
    AGENTS_FILE,
  };
  const processes: RunningProcess[] = [];
  const [topics, removable] = [[topic], Object.values(groups)];
  const started = (one: RunningProcess): RunningProcess => {
    processes.push(one);
    return one;
  };

  if (options.bare !== true) {
    const registered = await deviations(['schema', 'register'], { env, cwd: folder });
    if (registered.code !== 0) throw new Error(`the schemas could not be registered: ${registered.stderr}`);
    await createTopic(topic, options.partitions ?? 6);
    await migrate(databaseAt(databaseFile));
  }

  return {
    topic,
    groups,
    folder,
    databaseFile,
    kafka: { brokers: brokers().split(',') },
    env,
    alsoRemove: (names) => {
      topics.push(...(names.topics ?? []));
      removable.push(...(names.groups ?? []));
    },
    anotherDatabase: async (word) => {
      const file = join(folder, `${word}.db`);
      await migrate(databaseAt(file));
      return { file, env: { DATABASE_URL: databaseAt(file).url } };
    },
    run: (args, input = '', more = {}) => deviations(args, { env: { ...env, ...more }, input, cwd: folder }),
    start: (args, more = {}, input = '') =>
      started(startDeviations(args, { env: { ...env, ...more }, input, cwd: folder })),
    startScript: (file, args, more = {}) =>
      started(startNode([file, ...args], { env: { NODE_COMPILE_CACHE: COMPILED, ...env, ...more }, cwd: folder })),
    consume: (consumer) => started(startDeviations([consumer, '--group', groups[consumer]], { env, cwd: folder })),
    leave: async () => {
      for (const one of processes) if (one.isRunning()) one.kill('SIGTERM');
      await Promise.all(processes.map((one) => one.ended().catch(() => one.kill('SIGKILL'))));
      try {
        await removeFromBroker(topics, removable);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
};
