/** The topic by a client that shares no line with ours: @platformatic/kafka, fetch by fetch, without a group. */
import { Consumer, type RecordsBatch } from '@platformatic/kafka';

export interface TopicRecord {
  readonly partition: number;
  readonly offset: bigint;
  readonly key: string | undefined;
  readonly headers: ReadonlyMap<string, string>;
  readonly value: Buffer | null;
}

export interface TopicLog {
  /** Those that a reader of committed records sees, by partition and offset. */
  readonly records: readonly TopicRecord[];
  /** One past the last offset of each partition, markers included. */
  readonly ends: ReadonlyMap<number, bigint>;
  readonly starts: ReadonlyMap<number, bigint>;
}

/** One life of the topic, looked at several times: retention takes away what was there before. */
export const inAll = (views: readonly TopicLog[]): TopicLog => {
  const records = new Map<string, TopicRecord>();
  for (const record of views.flatMap((view) => view.records))
    records.set(`${record.partition}/${record.offset}`, record);
  const last = views.at(-1) ?? { starts: new Map(), ends: new Map() };
  return {
    ...last,
    records: [...records.values()].toSorted((a, b) => a.partition - b.partition || Number(a.offset - b.offset)),
  };
};

/** Of the protocol. */
const [EARLIEST, LATEST, CONTROL, TRANSACTIONAL, ABORT] = [-2n, -1n, 0b100000, 0b10000, 0];
const FETCH = { maxWaitTime: 100, minBytes: 1, maxBytes: 50_000_000, isolationLevel: 0 } as const;

/** A transaction's records count once its marker says so. */
const committedIn = (partition: number, batches: readonly RecordsBatch[]): readonly TopicRecord[] => {
  const kept: TopicRecord[] = [];
  const open = new Map<bigint, TopicRecord[]>();
  for (const batch of batches) {
    if ((batch.attributes & CONTROL) !== 0) {
      const isAborted = batch.records[0]?.key?.readInt16BE(2) === ABORT;
      if (!isAborted) kept.push(...(open.get(batch.producerId) ?? []));
      open.delete(batch.producerId);
      continue;
    }
    const records = batch.records.map(({ offsetDelta, key, value, headers }) => ({
      partition,
      offset: batch.firstOffset + BigInt(offsetDelta),
      key: key?.toString(),
      headers: new Map(headers.map(([name, text]): [string, string] => [String(name), String(text)])),
      value,
    }));
    if ((batch.attributes & TRANSACTIONAL) === 0) kept.push(...records);
    else open.set(batch.producerId, [...(open.get(batch.producerId) ?? []), ...records]);
  }
  return kept.toSorted((a, b) => Number(a.offset - b.offset));
};

export const readTopicByAnotherClient = async (topic: string, brokers: string): Promise<TopicLog> => {
  const consumer = new Consumer({
    clientId: 'a-reader',
    groupId: `${topic}-nobody-joins`,
    bootstrapBrokers: brokers.split(','),
    retries: 5,
  });
  try {
    const metadata = await consumer.metadata({ topics: [topic] });
    const shape = metadata.topics.get(topic);
    if (shape === undefined) throw new Error(`${topic} is not there`);
    const offsetsAt = async (timestamp: bigint): Promise<ReadonlyMap<number, bigint>> => {
      const offsets = (await consumer.listOffsets({ topics: [topic], timestamp, isolationLevel: 0 })).get(topic) ?? [];
      return new Map(offsets.map((offset, partition): [number, bigint] => [partition, offset]));
    };
    const [starts, ends] = [await offsetsAt(EARLIEST), await offsetsAt(LATEST)];
    const batchesOf = async (partition: number, node: number): Promise<readonly RecordsBatch[]> => {
      const batches: RecordsBatch[] = [];
      const [start, end] = [starts.get(partition) ?? 0n, ends.get(partition) ?? 0n];
      for (let next = start; next < end; ) {
        const asked = { partition, currentLeaderEpoch: -1, fetchOffset: next, lastFetchedEpoch: -1 };
        const { responses } = await consumer.fetch({
          ...FETCH,
          node,
          topics: [{ topicId: shape.id, partitions: [{ ...asked, partitionMaxBytes: FETCH.maxBytes }] }],
        });
        const fetched = responses[0]?.partitions[0]?.records ?? [];
        // Whole batches are answered: the first may begin before what was asked for.
        batches.push(...fetched);
        const last = fetched.at(-1);
        if (last === undefined)
          throw new Error(`nothing at offset ${next} of ${topic} ${partition}, before its end ${end}`);
        next = last.firstOffset + BigInt(last.lastOffsetDelta) + 1n;
      }
      return batches;
    };
    const records: TopicRecord[] = [];
    for (const [partition, { leader }] of shape.partitions.entries()) {
      const start = starts.get(partition) ?? 0n;
      const end = ends.get(partition) ?? 0n;
      const here = committedIn(partition, await batchesOf(partition, leader));
      records.push(...here.filter(({ offset }) => offset >= start && offset < end));
    }
    return { records, starts, ends };
  } finally {
    await consumer.close();
  }
};
