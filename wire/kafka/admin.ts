/** Questions to the cluster, and the topic's making. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Admin } from 'kafkajs';
import { isStreamError, StreamError } from '../errors.ts';
import type { Log } from '../log.ts';
import { brokerError, createKafka, type KafkaSettings } from './client.ts';
import { type Offset, offset } from './offset.ts';
import { oldestArrival } from './oldest-arrival.ts';

export interface PartitionEnds {
  readonly partition: number;
  /** The first offset still there. */
  readonly start: Offset;
  /** One past the last. */
  readonly end: Offset;
}

export interface TopicShape {
  readonly partitions: number;
  readonly replication: number;
  readonly settings: ReadonlyMap<string, string>;
}

export interface GroupShape {
  /** The broker's word: `Stable`, `Empty`, `PreparingRebalance` and the like. */
  readonly state: string;
  readonly members: number;
  /** The assigner that its members agreed on; undefined while there are none. */
  readonly assigner: string | undefined;
}

export interface Cluster {
  /** Undefined when there is no such topic. */
  topic(name: string): Promise<TopicShape | undefined>;
  /** Answers false when it was there already. */
  createTopic(name: string, partitions: number, replication: number): Promise<boolean>;
  deleteTopic(name: string): Promise<void>;
  ends(topic: string): Promise<readonly PartitionEnds[]>;
  /** The group's committed offset of each partition that has one. */
  committed(group: string, topic: string): Promise<ReadonlyMap<number, Offset>>;
  /** Of these groups, those that the broker knows. Asking makes none. */
  groups(names: readonly string[]): Promise<ReadonlyMap<string, GroupShape>>;
  /** When the oldest of these records arrived, in milliseconds, by the topic's clock; each must be in the log. */
  oldestArrival(topic: string, records: ReadonlyMap<number, Offset>, nowMs: number): Promise<number>;
  /** The first offset of each partition whose record arrived at that time or later; its end when there is none. */
  offsetsAt(topic: string, timeMs: number): Promise<ReadonlyMap<number, Offset>>;
  deleteGroup(group: string): Promise<void>;
  close(): Promise<void>;
}

/** With three replicas or more, two must have a record before it counts: "delete after the acknowledgement" rests on it. */
const SAFE_REPLICATION = 3;

const topicSettings = (replication: number) => [
  // The broker's clock: with the event's own, a clock ahead is refused for good and an old event is deleted at once.
  { name: 'message.timestamp.type', value: 'LogAppendTime' },
  { name: 'unclean.leader.election.enable', value: 'false' },
  ...(replication >= SAFE_REPLICATION ? [{ name: 'min.insync.replicas', value: '2' }] : []),
];

const SHOWN_SETTINGS = [
  'message.timestamp.type',
  'min.insync.replicas',
  'unclean.leader.election.enable',
  'cleanup.policy',
  'retention.ms',
];
const TOPIC_RESOURCE = 2;
/** How long a fresh topic may be without leaders, and how often it is looked at, in milliseconds. */
const LEADERS_LIMIT_MS = 15_000;
const LOOK_EVERY_MS = 50;

export const openCluster = async (settings: KafkaSettings, log: Log): Promise<Cluster> => {
  const admin: Admin = createKafka(settings, 'tools', log).admin();
  const asking = async <T>(doing: string, ask: () => Promise<T>): Promise<T> => {
    try {
      return await ask();
    } catch (error) {
      throw brokerError(error, doing, settings);
    }
  };
  await asking('connecting', () => admin.connect());

  const metadataOf = async (name: string) => {
    try {
      const { topics } = await asking(`topic ${name}`, () => admin.fetchTopicMetadata({ topics: [name] }));
      return topics[0];
    } catch (error) {
      if (isStreamError(error) && error.code === 'TOPIC_MISSING') return undefined;
      throw error;
    }
  };

  /** A fresh topic is known to every broker, and led, only after a moment. */
  const untilLed = async (name: string, partitions: number): Promise<void> => {
    const deadline = performance.now() + LEADERS_LIMIT_MS;
    for (;;) {
      const metadata = await metadataOf(name);
      const led = metadata?.partitions.filter(({ leader }) => leader >= 0).length ?? 0;
      const isLed = led > 0 && (led >= partitions || led === metadata?.partitions.length);
      // A leader that is named may not know of it yet, and refuses: it is asked too.
      if (isLed && (await admin.fetchTopicOffsets(name).catch(() => [])).length > 0) return;
      if (performance.now() > deadline) {
        throw new StreamError(
          'BROKER_REFUSED',
          `topic ${name} has no leaders after ${LEADERS_LIMIT_MS / 1_000} s`,
          'Look at the brokers, then run it again: it is safe to repeat',
        );
      }
      await sleep(LOOK_EVERY_MS);
    }
  };

  const offsetsAt = async (topic: string, timeMs: number): Promise<ReadonlyMap<number, Offset>> => {
    const offsets = await asking(`topic ${topic} by time`, () => admin.fetchTopicOffsetsByTimestamp(topic, timeMs));
    return new Map(offsets.map(({ partition, offset: at }): [number, Offset] => [partition, offset(at)]));
  };

  return {
    topic: async (name) => {
      const metadata = await metadataOf(name);
      if (metadata === undefined) return undefined;
      const { resources } = await asking(`the settings of topic ${name}`, () =>
        admin.describeConfigs({
          includeSynonyms: false,
          resources: [{ type: TOPIC_RESOURCE, name, configNames: SHOWN_SETTINGS }],
        }),
      );
      return {
        partitions: metadata.partitions.length,
        replication: metadata.partitions[0]?.replicas.length ?? 0,
        settings: new Map(resources[0]?.configEntries.map((entry) => [entry.configName, entry.configValue])),
      };
    },

    createTopic: async (name, partitions, replication) => {
      const isNew = await asking(`creating topic ${name}`, () =>
        admin.createTopics({
          // kafkajs would take a fresh topic that this broker has not heard of yet for a failure.
          waitForLeaders: false,
          topics: [
            {
              topic: name,
              numPartitions: partitions,
              replicationFactor: replication,
              configEntries: topicSettings(replication),
            },
          ],
        }),
      );
      await untilLed(name, partitions);
      return isNew;
    },

    deleteTopic: (name) => asking(`deleting topic ${name}`, () => admin.deleteTopics({ topics: [name] })),

    ends: async (topic) => {
      if ((await metadataOf(topic)) === undefined) {
        throw new StreamError('TOPIC_MISSING', `topic ${topic}`, 'Create it: deviations topic create');
      }
      const ends = await asking(`the ends of topic ${topic}`, () => admin.fetchTopicOffsets(topic));
      return ends
        .map(({ partition, low, high }) => ({ partition, start: offset(low), end: offset(high) }))
        .sort((a, b) => a.partition - b.partition);
    },

    committed: (group, topic) =>
      asking(`the offsets of group ${group}`, async () => {
        const [answer] = await admin.fetchOffsets({ groupId: group, topics: [topic] });
        return new Map(
          (answer?.partitions ?? [])
            .filter(({ offset: at }) => BigInt(at) >= 0n)
            .map(({ partition, offset: at }): [number, Offset] => [partition, offset(at)]),
        );
      }),

    groups: (names) =>
      asking('the consumer groups', async () => {
        // Describing one that is not there would make the broker's own topic for groups on a fresh cluster.
        const listed = (await admin.listGroups()).groups.map(({ groupId }) => groupId);
        const known = names.filter((name) => listed.includes(name));
        if (known.length === 0) return new Map();
        const { groups } = await admin.describeGroups(known);
        return new Map(
          groups.map(({ groupId, state, members, protocol }): [string, GroupShape] => [
            groupId,
            { state, members: members.length, assigner: protocol === '' ? undefined : protocol },
          ]),
        );
      }),

    offsetsAt,

    oldestArrival: (topic, records, nowMs) => oldestArrival((timeMs) => offsetsAt(topic, timeMs), records, nowMs),

    deleteGroup: (group) =>
      asking(`deleting group ${group}`, async () => {
        await admin.deleteGroups([group]);
      }),

    close: () => admin.disconnect().catch(() => {}),
  };
};
