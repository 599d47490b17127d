/** Where a fault happens: a topic of its own, a sink that reads it into a table, and a folder for outboxes. */
import { join } from 'node:path';
import { logLevel } from 'kafkajs';
import { createSinkJudge, runConsumer } from '../../consumer/index.ts';
import { type DeviationProducer, type ProducerOptions, createDeviationProducer } from '../../producer/index.ts';
import { kafka, silentLog } from '../../wire/index.ts';
import { theKafkajs } from '../../wire/kafka/kafkajs.ts';
import { type Judged, judge } from './faults-oracle.ts';
import { AGENTS_OF_LOAD, type Load } from './faults-load.ts';
import { keepLog } from './faults-service.ts';
import { caughtUp, countersOf } from './stack-database.ts';
import { enterScene, type Scene } from './stack-scene.ts';
import { brokers, registryUrl } from './topics.ts';

export interface Ground {
  readonly scene: Scene;
  readonly topic: string;
  /** The broker itself, past any proxy. */
  readonly broker: string;
  readonly registryUrl: string;
  outboxFile(seed: number): string;
  /** Waits until the sink has read the topic to its end, then compares. */
  judge(loads: readonly Load[], outboxFile: string): Promise<Judged>;
  /** How many records the topic holds. */
  records(): Promise<number>;
  /** Records that the sink had seen before. */
  duplicates(): number;
  leave(): Promise<void>;
}

export interface GroundOptions {
  /** Another broker than the one that all tests share. */
  readonly broker?: string;
  readonly registryUrl?: string;
}

const PARTITIONS = 3;

/** A sink that comes back after its broker waits for its own former place; our own broker gives it away sooner. */
const SESSION_TIMEOUT_MS = process.env['TEST_STACK_KIND'] === 'given' ? 6_000 : 1_500;

const endsAt = async (broker: string, topic: string): Promise<ReadonlyMap<number, bigint>> => {
  const admin = new (theKafkajs().Kafka)({
    clientId: 'a-stranger',
    brokers: [broker],
    logLevel: logLevel.NOTHING,
  }).admin();
  await admin.connect();
  try {
    const offsets = await admin.fetchTopicOffsets(topic);
    return new Map(offsets.map(({ partition, high }) => [partition, BigInt(high)]));
  } finally {
    await admin.disconnect();
  }
};

export const openGround = async (name: string, options: GroundOptions = {}): Promise<Ground> => {
  const scene = await enterScene(name, { partitions: PARTITIONS });
  const { topic, databaseFile, folder } = scene;
  const broker = options.broker ?? brokers().split(',')[0] ?? '';
  const registry = { url: options.registryUrl ?? registryUrl() };
  if (options.broker !== undefined) {
    const cluster = await kafka.openCluster({ brokers: [broker] }, silentLog);
    try {
      await cluster.createTopic(topic, PARTITIONS, 1);
    } finally {
      await cluster.close();
    }
  }
  const stop = new AbortController();
  const { log, entries } = keepLog();
  const sink = runConsumer(
    {
      consumer: 'sink',
      judge: createSinkJudge({ agents: undefined }),
      kafka: { brokers: [broker] },
      registry,
      database: { url: `sqlite:${databaseFile}` },
      topic,
      group: scene.groups.sink,
      sessionTimeoutMs: SESSION_TIMEOUT_MS,
      log,
    },
    stop.signal,
  );
  // Told when it is waited for.
  sink.catch(() => {});

  return {
    scene,
    topic,
    broker,
    registryUrl: registry.url,
    outboxFile: (seed) => join(folder, `outbox-${seed}.db`),
    judge: async (loads, outboxFile) => {
      const ends = await endsAt(broker, topic);
      await caughtUp(databaseFile, 'sink', ends, () =>
        entries.map(({ what, fields }) => `${what} ${JSON.stringify(fields)}`).join('\n'),
      );
      return judge(
        loads.flatMap((load) => load.accepted()),
        loads.flatMap((load) => load.sessionIds),
        outboxFile,
        databaseFile,
      );
    },
    records: async () => {
      const ends = await endsAt(broker, topic);
      return [...ends.values()].reduce((sum, end) => sum + Number(end), 0);
    },
    duplicates: () => countersOf(databaseFile, 'sink').duplicate,
    leave: async () => {
      stop.abort();
      try {
        await sink;
      } finally {
        await scene.leave();
      }
    },
  };
};

export interface Opening {
  readonly outboxFile: string;
  /** Where the client believes the broker to be. */
  readonly broker: string;
  readonly limits?: ProducerOptions['outboxLimits'];
}

export type OpenProducer = (ground: Ground, opening: Opening) => DeviationProducer;

/** The product as an engine uses it. */
export const openReal: OpenProducer = (ground, { outboxFile, broker, limits }) =>
  createDeviationProducer({
    agents: AGENTS_OF_LOAD,
    kafka: { brokers: [broker] },
    registry: { url: ground.registryUrl },
    topic: ground.topic,
    outboxFile,
    ...(limits === undefined ? {} : { outboxLimits: limits }),
  });
