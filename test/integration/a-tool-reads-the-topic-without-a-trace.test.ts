/** From an offset to an end or on and on: every record once, no group left behind, and the end is known behind markers too. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Partitioners } from 'kafkajs';
import { kafka, silentLog } from '../../wire/index.ts';
import { writeTo } from '../support/foreign-writer.ts';
import { asAdmin, brokers, createTopic, endsOf, foreignKafka, removeFromBroker } from '../support/topics.ts';
import { waitFor } from '../support/wait-for.ts';

const topics: string[] = [];
const aTopic = async (partitions: number): Promise<string> => {
  const topic = `read-without-a-trace-${randomUUID().slice(0, 8)}`;
  topics.push(topic);
  await createTopic(topic, partitions);
  return topic;
};

const settingsFor = (topic: string) => ({ kafka: { brokers: brokers().split(',') }, topic, log: silentLog });
const offsets = (numbers: Readonly<Record<number, number>>): ReadonlyMap<number, kafka.Offset> =>
  new Map(Object.entries(numbers).map(([partition, at]) => [Number(partition), kafka.offset(at)]));

const write = (topic: string, partition: number, values: readonly string[]): Promise<void> =>
  writeTo(
    topic,
    values.map((value) => ({ key: 'k', value: Buffer.from(value), partition })),
  );

/** Values by partition, in the order in which they came. */
const readAll = async (
  topic: string,
  from: Readonly<Record<number, number>>,
  until: Readonly<Record<number, number>>,
): Promise<Readonly<Record<number, readonly string[]>>> => {
  const read: Record<number, string[]> = {};
  const reading = {
    ...settingsFor(topic),
    from: offsets(from),
    until: offsets(until),
    signal: AbortSignal.timeout(40_000),
  };
  for await (const { partition, records } of kafka.readTopic(reading)) {
    (read[partition] ??= []).push(...records.map(({ value }) => String(value)));
  }
  return read;
};

/** One after the other into partition 0, each committed or aborted. */
const transactions = async (topic: string, fates: readonly (readonly [string, boolean])[]): Promise<void> => {
  const producer = foreignKafka().producer({
    transactionalId: `${topic}-writer`,
    maxInFlightRequests: 1,
    idempotent: true,
    createPartitioner: Partitioners.DefaultPartitioner,
  });
  await producer.connect();
  try {
    for (const [value, isKept] of fates) {
      const transaction = await producer.transaction();
      await transaction.send({ topic, messages: [{ key: 'k', value, partition: 0 }] });
      await (isKept ? transaction.commit() : transaction.abort());
    }
  } finally {
    await producer.disconnect();
  }
};

let shared: string;
beforeAll(async () => {
  shared = await aTopic(3);
  await write(shared, 0, ['a0', 'a1', 'a2', 'a3']);
  await write(shared, 1, ['b0', 'b1']);
});
afterAll(() => removeFromBroker(topics, []));

test('reads each partition from its offset to its end, and no other', async () => {
  expect(await readAll(shared, { 0: 1, 1: 0 }, { 0: 3, 1: 2 })).toEqual({ 0: ['a1', 'a2'], 1: ['b0', 'b1'] });
});

test('is over at once when there is nothing to read', async () => {
  expect(await readAll(shared, { 0: 4, 2: 0 }, { 0: 4, 2: 0 })).toEqual({});
});

test('knows the end behind markers and aborted records, and shows neither', async () => {
  const topic = await aTopic(1);
  await transactions(topic, [
    ['kept', true],
    ['dropped', false],
    ['kept too', true],
    ['dropped too', false],
  ]);
  // The broker answers before it has written the last marker.
  await waitFor('the last marker to be written', async () => (await endsOf(topic)).get(0) === 8n);
  expect(await readAll(topic, { 0: 0 }, { 0: 8 })).toEqual({ 0: ['kept', 'kept too'] });
  // From the middle of it: nothing but aborted records and markers.
  expect(await readAll(topic, { 0: 6 }, { 0: 8 })).toEqual({ 0: [] });
});

test('says of single places whether a record is there, deleted, passed over or beyond', async () => {
  const topic = await aTopic(2);
  await transactions(topic, [
    ['zero', true],
    ['two', true],
  ]);
  await write(topic, 1, ['one zero', 'one one']);
  await asAdmin(async (admin) => {
    await admin.fetchTopicOffsets(topic);
    await admin.deleteTopicRecords({ topic, partitions: [{ partition: 1, offset: '1' }] });
  });
  const place = (partition: number, at: number): kafka.Place => ({ partition, offset: kafka.offset(at) });
  const wanted = [place(0, 2), place(0, 0), place(0, 1), place(0, 4), place(1, 0), place(1, 1), place(7, 0)];
  const found: string[] = [];
  for await (const read of kafka.readPlaces(settingsFor(topic), wanted, AbortSignal.timeout(40_000))) {
    const value = read.kind === 'there' ? ` ${String(read.record.value)}` : '';
    found.push(`${read.partition}/${read.offset} ${read.kind}${value}`);
  }
  expect(found.toSorted()).toEqual([
    '0/0 there zero',
    '0/1 passed',
    '0/2 there two',
    '0/4 beyond',
    '1/0 deleted',
    '1/1 there one one',
    '7/0 beyond',
  ]);
  expect(await kafka.readPlace(settingsFor(topic), place(0, 2), AbortSignal.timeout(40_000))).toMatchObject({
    kind: 'there',
    record: { offset: 2n },
  });
});

test('follows what comes, also on a partition that is added, until it is stopped', async () => {
  const topic = await aTopic(1);
  await write(topic, 0, ['old', 'new']);
  const stop = new AbortController();
  const seen: string[] = [];
  const news: string[] = [];
  const following = (async () => {
    const reading = { ...settingsFor(topic), from: offsets({ 0: 1 }), signal: stop.signal };
    for await (const { partition, records } of kafka.readTopic({ ...reading, onNews: ({ what }) => news.push(what) })) {
      seen.push(...records.map(({ value }) => `${partition} ${String(value)}`));
    }
  })();
  const sees = (what: string): Promise<unknown> => waitFor(`${what} to be read`, () => seen.includes(what));
  await sees('0 new');
  await write(topic, 0, ['newer']);
  await sees('0 newer');
  await asAdmin((admin) => admin.createPartitions({ topicPartitions: [{ topic, count: 2 }] }));
  await write(topic, 1, ['elsewhere']);
  await sees('1 elsewhere');
  stop.abort();
  await following;
  expect(seen).toEqual(['0 new', '0 newer', '1 elsewhere']);
  expect(news).toEqual(['added']);
});

test('leaves when nobody reads on, and no group of a tool stays behind', async () => {
  const reading = { ...settingsFor(shared), from: offsets({ 0: 0 }), signal: new AbortController().signal };
  for await (const { records } of kafka.readTopic(reading)) {
    expect(records.length).toBeGreaterThan(0);
    break;
  }
  const leftBehind = (): Promise<readonly string[]> =>
    asAdmin(async (admin) => {
      const { groups } = await admin.listGroups();
      const ours = groups.map(({ groupId }) => groupId).filter((group) => group.startsWith('deviations-tools-'));
      const described = await admin.describeGroups(ours);
      // One with a member is that of another test, which runs beside this one.
      return described.groups.filter(({ state }) => state === 'Empty').map(({ groupId }) => groupId);
    });
  await waitFor('the groups of tools to be gone', async () => (await leftBehind()).length === 0);
});
