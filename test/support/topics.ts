/** The broker as an ordinary client sees it, for making, looking at and removing what a test uses. */
import { type Admin, type Kafka, logLevel } from 'kafkajs';
import { codeOf, kafka as port, silentLog } from '../../wire/index.ts';
import { theKafkajs } from '../../wire/kafka/kafkajs.ts';
import { waitFor } from './wait-for.ts';

export const brokers = (): string => {
  const list = process.env['TEST_KAFKA_BROKERS'];
  if (list === undefined) throw new Error('TEST_KAFKA_BROKERS is not set: run it as a test of the integration project');
  return list;
};

export const registryUrl = (): string => {
  const url = process.env['TEST_SCHEMA_REGISTRY_URL'];
  if (url === undefined) throw new Error('TEST_SCHEMA_REGISTRY_URL is not set: run it as a test of integration');
  return url;
};

/** A client that is not ours in any setting, only mended alike: it neither burns CPU nor lacks a codec. `at`: other brokers than those that the tests share. */
export const foreignKafka = (at: string = brokers()): Kafka =>
  new (theKafkajs().Kafka)({ clientId: 'a-stranger', brokers: at.split(','), logLevel: logLevel.NOTHING });

export const asAdmin = async <T>(work: (admin: Admin) => Promise<T>, at?: string): Promise<T> => {
  const admin = foreignKafka(at).admin();
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.disconnect();
  }
};

/** Made as `deviations topic create` makes it. */
export const createTopic = async (topic: string, partitions: number, at: string = brokers()): Promise<void> => {
  const cluster = await port.openCluster({ brokers: at.split(',') }, silentLog);
  try {
    await cluster.createTopic(topic, partitions, 1);
  } finally {
    await cluster.close();
  }
};

/** One past the last offset, by partition. */
export const endsOf = (topic: string, at?: string): Promise<ReadonlyMap<number, bigint>> =>
  asAdmin(async (admin) => {
    const offsets = await admin.fetchTopicOffsets(topic);
    return new Map(offsets.map(({ partition, high }) => [partition, BigInt(high)]));
  }, at);

/** What a broker answers for a moment when it has never seen a group. */
const COORDINATOR_COMES = ['NOT_COORDINATOR_FOR_GROUP', 'GROUP_LOAD_IN_PROGRESS', 'GROUP_COORDINATOR_NOT_AVAILABLE'];

const fetchOffsets = (admin: Admin, group: string, topic: string) =>
  waitFor(`the offsets of group ${group}`, () =>
    admin.fetchOffsets({ groupId: group, topics: [topic] }).catch((error: unknown) => {
      if (!COORDINATOR_COMES.includes(codeOf(error))) throw error;
      return undefined;
    }),
  );

/** What the group has committed, by partition; a partition without a commit is not in it. */
export const committedOf = (group: string, topic: string): Promise<ReadonlyMap<number, bigint>> =>
  asAdmin(async (admin) => {
    const [committed] = await fetchOffsets(admin, group, topic);
    return new Map(
      (committed?.partitions ?? [])
        .map(({ partition, offset }): [number, bigint] => [partition, BigInt(offset)])
        .filter(([, offset]) => offset >= 0n),
    );
  });

/** Longer than the longest session time-out: a killed member holds its group for so long. */
const RELEASE_LIMIT_MS = 45_000;

/** Removes what is there of these, and waits until the broker no longer lists them. */
export const removeFromBroker = (topics: readonly string[], groups: readonly string[]): Promise<void> =>
  asAdmin(async (admin) => {
    for (const group of groups) {
      await waitFor(
        `group ${group} to be gone`,
        async () => {
          const { groups: listed } = await admin.listGroups();
          if (!listed.some(({ groupId }) => groupId === group)) return true;
          // Refused while a member is in it.
          await admin.deleteGroups([group]).catch(() => {});
          return false;
        },
        { limitMs: RELEASE_LIMIT_MS },
      );
    }
    for (const topic of topics) {
      await waitFor(`topic ${topic} to be gone`, async () => {
        if (!(await admin.listTopics()).includes(topic)) return true;
        await admin.deleteTopics({ topics: [topic] }).catch(() => {});
        return false;
      });
    }
  });
