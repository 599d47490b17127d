/** The pipeline as it is configured. Every question is asked at most once, and is answered or has failed by one deadline. */
import type { PositionRow, StoreInspector, StoreReader } from '../../consumer/index.ts';
import {
  type Consumer,
  createRegistry,
  type ErrorCode,
  kafka,
  type Registry,
  silentLog,
  StreamError,
  within,
} from '../../wire/index.ts';
import type { Config } from '../config.ts';

/** Who is waited for, and how its silence is named. */
const SILENT = {
  broker: { code: 'BROKER_UNREACHABLE', next: 'Check KAFKA_BROKERS and that the broker is up' },
  registry: { code: 'REGISTRY_UNREACHABLE', next: 'Check SCHEMA_REGISTRY_URL and that the registry is up' },
  database: { code: 'DATABASE_UNREACHABLE', next: 'Check DATABASE_URL and that the database is up' },
  files: { code: 'UNEXPECTED', next: 'Check the disks of this machine' },
} as const satisfies Record<string, { code: ErrorCode; next: string }>;
export type Asked = keyof typeof SILENT;

/** What asks several questions ends a little after the last of them, so that theirs is the word that is heard; in ms. */
const GRACE_MS = 250;

export interface Site {
  readonly config: Config;
  readonly groups: Readonly<Record<Consumer, string>>;
  cluster(): Promise<kafka.Cluster>;
  /** Rejects with TOPIC_MISSING when there is none. */
  topic(): Promise<kafka.TopicShape>;
  ends(): Promise<readonly kafka.PartitionEnds[]>;
  /** Undefined: the broker knows no such group. */
  group(consumer: Consumer): Promise<kafka.GroupShape | undefined>;
  /** Of each partition that the consumer's group has committed. */
  committed(consumer: Consumer): Promise<ReadonlyMap<number, kafka.Offset>>;
  registry(): Promise<Registry>;
  reader(): Promise<StoreReader>;
  inspector(): Promise<StoreInspector>;
  positions(): Promise<readonly PositionRow[]>;
  /** How far this clock is ahead of the database's, in milliseconds; undefined when that has none of its own. */
  aheadOfDatabaseMs(): Promise<number | undefined>;
  /** The work's outcome, or that nothing came by the deadline. */
  inTime<T>(asked: Asked, work: Promise<T>): Promise<T>;
  /** Of what answered; the rest ends with the process. */
  close(): Promise<void>;
}

export interface SiteOptions {
  readonly groups: Readonly<Record<Consumer, string>>;
  /** How long all the questions may take together, in milliseconds. */
  readonly limitMs: number;
}

export const openSite = (config: Config, { groups, limitMs }: SiteOptions): Site => {
  const deadline = performance.now() + limitMs;
  const closings: (() => Promise<void>)[] = [];
  let isClosed = false;

  const by = <T>(atMs: number, asked: Asked, work: Promise<T>): Promise<T> =>
    within(Math.max(0, atMs - performance.now()), work, () => {
      const { code, next } = SILENT[asked];
      throw new StreamError(code, `no answer within ${limitMs / 1_000} s`, next);
    });

  const once = <T>(asked: Asked, ask: () => T | Promise<T>): (() => Promise<T>) => {
    let answer: Promise<T> | undefined;
    return () => (answer ??= by(deadline, asked, (async () => ask())()));
  };

  /** Closed with the site, or at once when it comes too late. */
  const opened = <T extends { close(): Promise<void> }>(asked: Asked, open: () => T | Promise<T>): (() => Promise<T>) =>
    once(asked, async () => {
      const one = await open();
      if (isClosed) await one.close();
      else closings.push(() => one.close());
      return one;
    });

  const cluster = opened('broker', () => kafka.openCluster(config.kafka(), silentLog));
  const store = () => import('../../consumer/index.ts');
  const reader = opened('database', async () => (await store()).openReader(config.database()));
  const inspector = opened('database', async () => (await store()).openInspector(config.database()));
  const known = once('broker', async () => (await cluster()).groups(Object.values(groups)));
  // A group that is not there has none, and asking for them would have the broker make its topic for commits.
  const committed = (consumer: Consumer) =>
    once('broker', async () =>
      (await known()).has(groups[consumer])
        ? (await cluster()).committed(groups[consumer], config.topic())
        : new Map<number, kafka.Offset>(),
    );
  const commits = { sink: committed('sink'), graph: committed('graph') } satisfies Record<Consumer, unknown>;

  return {
    config,
    groups,
    cluster,
    topic: once('broker', async () => {
      const shape = await (await cluster()).topic(config.topic());
      if (shape !== undefined) return shape;
      throw new StreamError('TOPIC_MISSING', `topic ${config.topic()}`, 'Create it: deviations topic create');
    }),
    ends: once('broker', async () => (await cluster()).ends(config.topic())),
    group: async (consumer) => (await known()).get(groups[consumer]),
    committed: (consumer) => commits[consumer](),
    registry: once('registry', () => createRegistry(config.registry())),
    reader,
    inspector,
    positions: once('database', async () => (await reader()).positions(config.topic())),
    aheadOfDatabaseMs: once('database', async () => (await inspector()).clockAheadMs()),
    inTime: (asked, work) => by(deadline + GRACE_MS, asked, work),
    close: async () => {
      isClosed = true;
      await Promise.all(closings.map((close) => close()));
    },
  };
};
