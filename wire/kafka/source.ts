/**
 * The narrow port the stream runtime reads from. What it promises: batches of one partition come in order; a partition is
 * paused from the moment it is assigned until it is resumed, so that nothing is read before its position is known; no
 * error of a handler reaches the client library; a crash is told once and is final for this source. Every adapter is held to
 * it by test/contract/source-suite.ts.
 */
import type { Assigner, Batch, Consumer as KafkaConsumer, PartitionAssigners } from 'kafkajs';
import { StreamError } from '../errors.ts';
import { within } from '../limit.ts';
import type { Log } from '../log.ts';
import { ASSIGNERS, type GroupMember } from '../names.ts';
import { brokerError, createKafka, type KafkaSettings } from './client.ts';
import { loadCodecs } from './codecs.ts';
import { theKafkajs } from './kafkajs.ts';
import { type Offset, offset } from './offset.ts';
import { recordOf } from './packed-record.ts';
import type { SourceRecord } from './source-record.ts';

export interface SourceBatch {
  readonly partition: number;
  /** The offset that the fetch asked for; below the first record's when there are holes. */
  readonly askedFor: Offset;
  readonly records: readonly SourceRecord[];
  /** The last offset that the batch covers, markers included. */
  readonly lastOffset: Offset;
}

export interface SourceHandlers {
  /** A new assignment, complete. The partitions are paused. */
  assigned(partitions: readonly number[]): void;
  /** Takes the batch in hand and settles soon: the next fetch and the heartbeats wait for it. Never rejects. */
  batch(batch: SourceBatch): void | Promise<void>;
  /** The fetch held nothing but markers or compacted records, up to this offset. */
  passed(partition: number, lastOffset: Offset): void;
  /** The source is over; its error in our words. */
  crashed(error: unknown): void;
}

export interface Source {
  start(handlers: SourceHandlers): Promise<void>;
  pause(partition: number): void;
  resume(partition: number): void;
  /** The next fetch of the partition asks for this offset. */
  seek(partition: number, to: Offset): void;
  /** A hint for lag tools; rejects with a StreamError. */
  commit(partition: number, next: Offset): Promise<void>;
  /** Leaves the group. */
  stop(): Promise<void>;
}

export interface SourceSettings {
  readonly kafka: KafkaSettings;
  readonly topic: string;
  readonly group: string;
  readonly consumer: GroupMember;
  /** After how long without a heartbeat the broker gives the partitions away, in milliseconds. */
  readonly sessionTimeoutMs: number;
  /** How soon a partition that was added is noticed, in milliseconds; 30,000 unless given. */
  readonly metadataMaxAgeMs?: number;
  /** How long a fetch may wait for the first byte, in milliseconds, and so how long a stop does; 500 unless given. */
  readonly fetchWaitMs?: number;
}

/**
 * One small request in so long, beside ten heartbeats. The client's own five minutes would leave the records of an added
 * partition unread for that time.
 */
const METADATA_MAX_AGE_MS = 30_000;
/** How long a fetch may wait for the first byte, and how soon a resumed partition is looked at again, in milliseconds. */
const FETCH_WAIT_MS = 500;
/** Of one partition in one fetch: some hundred records. All that a fetch brings is in memory at once. */
const FETCH_BYTES = 256 * 1_024;
/**
 * How long a stop waits for a join that is under way, in milliseconds. The client learns its own member id with the answer
 * to it: gone before, it cannot leave, and the group keeps its place for the whole session time-out.
 */
const JOIN_LIMIT_MS = 5_000;

/** kafkajs's own round robin under the consumer's name, in both places where the protocol carries it. */
const assignerOf =
  (consumer: GroupMember) =>
  (config: Parameters<typeof PartitionAssigners.roundRobin>[0]): Assigner => {
    const name = ASSIGNERS[consumer];
    const roundRobin = theKafkajs().PartitionAssigners.roundRobin(config);
    return {
      ...roundRobin,
      name,
      protocol: (subscription) => ({ ...roundRobin.protocol(subscription), name }),
    };
  };

/** There at run time though not in the types; the first record's offset is the next best thing (see pitfalls in docs). */
const askedFor = (batch: Batch): Offset => {
  const fetched: unknown = Reflect.get(batch, 'fetchedOffset');
  return offset(typeof fetched === 'string' || typeof fetched === 'number' ? fetched : (batch.firstOffset() ?? '0'));
};

/** What a handler throws is a crash like any other: it never reaches the client. After a crash nothing more is told. */
const toldOnce = (handlers: SourceHandlers): SourceHandlers => {
  let isOver = false;
  const crashed = (error: unknown): void => {
    if (isOver) return;
    isOver = true;
    handlers.crashed(error);
  };
  const failed = (): void => {
    crashed(new StreamError('UNEXPECTED', 'a handler of the source', 'Report it: this is a defect of this program'));
  };
  const guarded =
    <A extends readonly unknown[]>(handle: (...given: A) => void) =>
    (...given: A): void => {
      if (isOver) return;
      try {
        handle(...given);
      } catch {
        failed();
      }
    };
  return {
    assigned: guarded((partitions) => handlers.assigned(partitions)),
    batch: async (batch) => {
      if (isOver) return;
      try {
        await handlers.batch(batch);
      } catch {
        failed();
      }
    },
    passed: guarded((partition, lastOffset) => handlers.passed(partition, lastOffset)),
    crashed,
  };
};

export const createSource = (settings: SourceSettings, log: Log): Source => {
  const { topic } = settings;
  loadCodecs();
  const consumer: KafkaConsumer = createKafka(settings.kafka, settings.consumer, log).consumer({
    groupId: settings.group,
    partitionAssigners: [assignerOf(settings.consumer)],
    allowAutoTopicCreation: false,
    sessionTimeout: settings.sessionTimeoutMs,
    heartbeatInterval: Math.round(settings.sessionTimeoutMs / 10),
    maxWaitTimeInMs: settings.fetchWaitMs ?? FETCH_WAIT_MS,
    metadataMaxAge: settings.metadataMaxAgeMs ?? METADATA_MAX_AGE_MS,
    maxBytesPerPartition: FETCH_BYTES,
    retry: { retries: 5, restartOnFailure: () => Promise.resolve(false) },
  });

  /** kafkajs throws where there is no group any more; that it has left is told by its crash, or was our own stop. */
  const whileMember = (tell: () => void): void => {
    try {
      tell();
    } catch {
      log.debug('the group has been left', { consumer: settings.consumer, topic });
    }
  };

  let joining: Promise<void> | undefined;
  let isStopped = false;

  return {
    start: async (told) => {
      const handlers = toldOnce(told);
      consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
        const partitions = payload.memberAssignment[topic] ?? [];
        if (partitions.length > 0) consumer.pause([{ topic, partitions: [...partitions] }]);
        handlers.assigned(partitions);
      });
      consumer.on(consumer.events.END_BATCH_PROCESS, ({ payload }) => {
        // Such a batch never reaches eachBatch; kafkajs fetches behind it by itself.
        if (payload.batchSize === 0) handlers.passed(payload.partition, offset(payload.lastOffset));
      });
      consumer.on(consumer.events.CRASH, ({ payload }) => {
        handlers.crashed(brokerError(payload.error, `consumer group ${settings.group}`, settings.kafka));
      });
      try {
        await consumer.connect();
        // Only a group without any position starts here: at the first record there is.
        await consumer.subscribe({ topic, fromBeginning: true });
        if (isStopped) return;
        joining = consumer.run({
          autoCommit: false,
          eachBatchAutoResolve: false,
          eachBatch: async (payload) => {
            const { batch } = payload;
            const taken = handlers.batch({
              partition: batch.partition,
              askedFor: askedFor(batch),
              records: batch.messages.map(recordOf),
              lastOffset: offset(batch.lastOffset()),
            });
            payload.resolveOffset(batch.lastOffset());
            await taken;
          },
        });
        await joining;
      } catch (error) {
        throw brokerError(error, `consumer group ${settings.group} on topic ${topic}`, settings.kafka);
      } finally {
        // The stop came first and found nothing to close.
        if (isStopped) await consumer.disconnect().catch(() => {});
      }
    },
    pause: (partition) => {
      whileMember(() => consumer.pause([{ topic, partitions: [partition] }]));
    },
    resume: (partition) => {
      whileMember(() => consumer.resume([{ topic, partitions: [partition] }]));
    },
    seek: (partition, to) => {
      whileMember(() => consumer.seek({ topic, partition, offset: String(to) }));
    },
    commit: async (partition, next) => {
      try {
        await consumer.commitOffsets([{ topic, partition, offset: String(next) }]);
      } catch (error) {
        throw brokerError(error, `committing to group ${settings.group}`, settings.kafka);
      }
    },
    stop: async () => {
      isStopped = true;
      await within(
        JOIN_LIMIT_MS,
        Promise.allSettled([joining]).then(() => {}),
        () => {},
      );
      await consumer.disconnect().catch(() => {});
    },
  };
};
