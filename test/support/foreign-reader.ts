/** The topic as a client of somebody else's reads it: every record there is, with its headers, key, and clock. */
import { randomUUID } from 'node:crypto';
import type { KafkaMessage } from 'kafkajs';
import { endsOf, foreignKafka, removeFromBroker } from './topics.ts';
import { waitFor } from './wait-for.ts';

export interface ForeignRecord {
  readonly partition: number;
  readonly offset: bigint;
  readonly key: string | undefined;
  /** Raw: whatever the record carries, under whatever name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly value: Buffer | null;
  readonly timeMs: number;
  /** Whether the broker stamped the time, at arrival. */
  readonly isLogAppendTime: boolean;
}

/** kafkajs hands over the batch a record came in; its typing leaves it out. 1 is LogAppendTime in the protocol. */
const isLogAppendTime = (message: KafkaMessage): boolean => {
  const batch: unknown = Reflect.get(message, 'batchContext');
  return typeof batch === 'object' && batch !== null && Reflect.get(batch, 'timestampType') === 1;
};

const recordOf = (partition: number, message: KafkaMessage): ForeignRecord => ({
  partition,
  offset: BigInt(message.offset),
  key: message.key?.toString('utf8'),
  headers: Object.fromEntries(
    Object.entries(message.headers ?? {}).map(([name, value]) => [name, value?.toString() ?? '(null)']),
  ),
  value: message.value,
  timeMs: Number(message.timestamp),
  isLogAppendTime: isLogAppendTime(message),
});

export const readTopic = async (topic: string): Promise<readonly ForeignRecord[]> => {
  const groupId = `${topic}-a-reader-${randomUUID().slice(0, 8)}`;
  const ends = await endsOf(topic);
  const expected = [...ends.values()].reduce((sum, end) => sum + Number(end), 0);
  const records: ForeignRecord[] = [];
  const consumer = foreignKafka().consumer({ groupId, allowAutoTopicCreation: false, maxWaitTimeInMs: 200 });
  await consumer.connect();
  try {
    await consumer.subscribe({ topic, fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachMessage: ({ partition, message }) => {
        records.push(recordOf(partition, message));
        return Promise.resolve();
      },
    });
    await waitFor(`all ${expected} records of ${topic}`, () => records.length >= expected, {
      seen: () => `${records.length} were read`,
    });
  } finally {
    await consumer.disconnect();
    await removeFromBroker([], [groupId]);
  }
  return records.toSorted((a, b) => a.partition - b.partition || Number(a.offset - b.offset));
};
