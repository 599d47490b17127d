/** What every adapter of the source port promises, on a real broker. An adapter's test is: make me, hold me to it. */
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import { Partitioners } from 'kafkajs';
import { kafka, silentLog } from '../../wire/index.ts';
import { startProxy } from '../support/faults-proxy.ts';
import { type ForeignMessage, writeTo } from '../support/foreign-writer.ts';
import { asAdmin, brokers, committedOf, createTopic, foreignKafka, removeFromBroker } from '../support/topics.ts';
import { waitFor } from '../support/wait-for.ts';

export type CreateSource = typeof kafka.createSource;

const SESSION_TIMEOUT_MS = 6_000;
const ADDED_AFTER_MS = 1_000;

/** A source, with all that it told. */
interface Heard {
  readonly source: kafka.Source;
  readonly assigned: (readonly number[])[];
  readonly batches: kafka.SourceBatch[];
  /** `partition lastOffset` each. */
  readonly passed: string[];
  readonly crashes: unknown[];
  /** The last assignment. */
  partitions(): readonly number[];
  /** The offsets that a partition delivered, in order. */
  offsets(partition: number): readonly number[];
}

const messages = (count: number, partition = 0, first = 0): readonly ForeignMessage[] =>
  Array.from({ length: count }, (_, index) => ({ key: null, value: Buffer.from(`${first + index}`), partition }));

const ascending = (numbers: readonly number[]): number[] => [...numbers].sort((a, b) => a - b);

const upTo = (end: number, from = 0): readonly number[] =>
  Array.from({ length: end - from }, (_, index) => from + index);

export const sourceSuite = (name: string, createSource: CreateSource): void => {
  describe(`a source on ${name}`, () => {
    const leaving: (() => Promise<unknown>)[] = [];
    afterEach(async () => {
      for (const leave of leaving.splice(0).reverse()) await leave();
    });

    const ground = async (partitions: number): Promise<{ readonly topic: string; readonly group: string }> => {
      const topic = `source-${randomUUID().slice(0, 8)}`;
      await createTopic(topic, partitions);
      leaving.push(() => removeFromBroker([topic], [topic]));
      return { topic, group: topic };
    };

    const open = (
      { topic, group }: { readonly topic: string; readonly group: string },
      broker = brokers(),
      onBatch: (batch: kafka.SourceBatch) => void = () => {},
    ): Heard => {
      const heard = { assigned: [] as number[][], batches: [] as kafka.SourceBatch[], passed: [] as string[] };
      const crashes: unknown[] = [];
      const source = createSource(
        {
          kafka: { brokers: broker.split(',') },
          topic,
          group,
          consumer: 'sink',
          sessionTimeoutMs: SESSION_TIMEOUT_MS,
          metadataMaxAgeMs: ADDED_AFTER_MS,
        },
        silentLog,
      );
      leaving.push(() => source.stop());
      source
        .start({
          assigned: (partitions) => heard.assigned.push(ascending(partitions)),
          batch: (batch) => {
            heard.batches.push(batch);
            onBatch(batch);
          },
          passed: (partition, lastOffset) => heard.passed.push(`${partition} ${lastOffset}`),
          crashed: (error) => crashes.push(error),
        })
        .catch((error: unknown) => crashes.push(error));
      return {
        ...heard,
        source,
        crashes,
        partitions: () => heard.assigned.at(-1) ?? [],
        offsets: (partition) =>
          heard.batches
            .filter((batch) => batch.partition === partition)
            .flatMap(({ records }) => records.map(({ offset }) => Number(offset))),
      };
    };

    const given = async (heard: Heard, ...partitions: readonly number[]): Promise<void> => {
      await waitFor(`the partitions ${partitions.join()}`, () => heard.partitions().join() === partitions.join(), {
        seen: () => JSON.stringify({ assigned: heard.assigned, crashes: heard.crashes.map(String) }),
      });
    };

    const delivers = async (heard: Heard, partition: number, offsets: readonly number[]): Promise<void> => {
      await waitFor(
        `partition ${partition} to deliver ${offsets.length} records`,
        () => heard.offsets(partition).length >= offsets.length,
        { seen: () => JSON.stringify({ read: heard.offsets(partition), crashes: heard.crashes.map(String) }) },
      );
      expect(heard.offsets(partition)).toEqual(offsets);
    };

    const readFrom = (heard: Heard, partition: number, offset: number): void => {
      heard.source.seek(partition, kafka.offset(offset));
      heard.source.resume(partition);
    };

    test('tells the whole assignment, and reads no partition before it is resumed; each then in order, without a gap', async () => {
      const here = await ground(2);
      await writeTo(here.topic, [...messages(30), ...messages(30, 1)]);
      const heard = open(here);
      await given(heard, 0, 1);
      readFrom(heard, 1, 0);
      await delivers(heard, 1, upTo(30));
      await writeTo(here.topic, messages(20, 1, 30));
      await delivers(heard, 1, upTo(50));
      // By then partition 0 would have been fetched as well.
      expect(heard.offsets(0)).toEqual([]);
      readFrom(heard, 0, 0);
      await delivers(heard, 0, upTo(30));
      expect(heard.assigned).toHaveLength(1);
      expect(heard.crashes).toEqual([]);
    });

    test('hands over the record as it is, the offset that was asked for, and the last one that is covered', async () => {
      const here = await ground(1);
      const before = Date.now();
      await writeTo(here.topic, [
        { key: 'a key', value: Buffer.from('a value'), headers: { one: 'first', two: ['twice', 'over'] } },
        { key: null, value: null },
      ]);
      const heard = open(here);
      await given(heard, 0);
      readFrom(heard, 0, 0);
      await delivers(heard, 0, [0, 1]);
      expect(heard.batches[0]).toMatchObject({ partition: 0, askedFor: 0n });
      expect(heard.batches.at(-1)?.lastOffset).toBe(1n);
      const [first, second] = heard.batches.flatMap(({ records }) => records);
      expect(first).toMatchObject({ offset: 0n, key: Buffer.from('a key'), value: Buffer.from('a value') });
      expect(first?.headers).toEqual({
        one: Buffer.from('first'),
        two: ['twice', 'over'].map((one) => Buffer.from(one)),
      });
      expect(second).toMatchObject({ offset: 1n, key: null, value: null, headers: {} });
      expect(Math.abs((first?.recordTimeMs ?? 0) - before)).toBeLessThan(60_000);
    });

    test('stops a paused partition and no other, and goes on behind what it has delivered', async () => {
      const here = await ground(2);
      await writeTo(here.topic, [...messages(5), ...messages(5, 1)]);
      const heard = open(here);
      await given(heard, 0, 1);
      for (const partition of [0, 1]) readFrom(heard, partition, 0);
      for (const partition of [0, 1]) await delivers(heard, partition, upTo(5));
      heard.source.pause(0);
      await writeTo(here.topic, [...messages(5), ...messages(5, 1)]);
      await delivers(heard, 1, upTo(10));
      expect(heard.offsets(0)).toEqual(upTo(5));
      heard.source.resume(0);
      await delivers(heard, 0, upTo(10));
    });

    test('asks where it was told to, forward and back', async () => {
      const here = await ground(1);
      await writeTo(here.topic, messages(20));
      const heard = open(here);
      await given(heard, 0);
      readFrom(heard, 0, 15);
      await delivers(heard, 0, upTo(20, 15));
      heard.source.seek(0, kafka.offset(3));
      await delivers(heard, 0, [...upTo(20, 15), ...upTo(20, 3)]);
      expect(heard.batches.map(({ askedFor }) => Number(askedFor))).toEqual([15, 3]);
    });

    test('commits what it is told to and nothing by itself, also further back', async () => {
      const here = await ground(2);
      await writeTo(here.topic, [...messages(9), ...messages(9, 1)]);
      const heard = open(here);
      await given(heard, 0, 1);
      for (const partition of [0, 1]) readFrom(heard, partition, 0);
      for (const partition of [0, 1]) await delivers(heard, partition, upTo(9));
      await heard.source.commit(0, kafka.offset(7));
      expect(await committedOf(here.group, here.topic)).toEqual(new Map([[0, 7n]]));
      await heard.source.commit(0, kafka.offset(4));
      await heard.source.stop();
      expect(await committedOf(here.group, here.topic)).toEqual(new Map([[0, 4n]]));
    });

    test('passes over aborted records and markers, says how far, and delivers what lies behind', async () => {
      const here = await ground(1);
      const producer = foreignKafka().producer({
        transactionalId: here.topic,
        maxInFlightRequests: 1,
        idempotent: true,
        createPartitioner: Partitioners.DefaultPartitioner,
      });
      await producer.connect();
      const aborted = await producer.transaction();
      await aborted.send({ topic: here.topic, messages: [...messages(3)] });
      await aborted.abort();
      const heard = open(here);
      await given(heard, 0);
      readFrom(heard, 0, 0);
      await waitFor('the marker to be passed', () => heard.passed.includes('0 3'), {
        seen: () => JSON.stringify({ passed: heard.passed, read: heard.offsets(0) }),
      });
      const kept = await producer.transaction();
      await kept.send({ topic: here.topic, messages: [...messages(3)] });
      await kept.commit();
      await producer.disconnect();
      await delivers(heard, 0, [4, 5, 6]);
      await writeTo(here.topic, messages(1));
      await delivers(heard, 0, [4, 5, 6, 8]);
      expect(heard.crashes).toEqual([]);
    });

    test('notices a partition that was added within the time it was given', async () => {
      const here = await ground(1);
      const heard = open(here);
      await given(heard, 0);
      readFrom(heard, 0, 0);
      await asAdmin((admin) => admin.createPartitions({ topicPartitions: [{ topic: here.topic, count: 3 }] }));
      await given(heard, 0, 1, 2);
      await writeTo(here.topic, messages(3, 2));
      readFrom(heard, 2, 0);
      await delivers(heard, 2, upTo(3));
    });

    test('shares the partitions with another member, and leaves them to it when it stops', async () => {
      const here = await ground(3);
      const first = open(here);
      await given(first, 0, 1, 2);
      const second = open(here);
      await waitFor(
        'both to have their own partitions',
        () =>
          second.partitions().length > 0 &&
          ascending([...first.partitions(), ...second.partitions()]).join() === '0,1,2',
        { seen: () => JSON.stringify([first.assigned, second.assigned]) },
      );
      await first.source.stop();
      await given(second, 0, 1, 2);
      await second.source.stop();
      const [group] = (await asAdmin((admin) => admin.describeGroups([here.group]))).groups;
      expect({ state: group?.state, members: group?.members.length }).toEqual({ state: 'Empty', members: 0 });
    });

    test('stops before it has joined, and nothing stays in the group', async () => {
      const here = await ground(1);
      const heard = open(here);
      await heard.source.stop();
      await waitFor('the group to have no member', async () => {
        const [group] = (await asAdmin((admin) => admin.describeGroups([here.group]))).groups;
        return (group?.members.length ?? 0) === 0;
      });
      expect(heard.batches).toEqual([]);
    });

    test.each([new RangeError('canary-7d1f'), new TypeError('canary-7d1f'), 'canary-7d1f'])(
      'takes what a handler throws (%#) for its own crash: told once, and nothing after it',
      async (thrown) => {
        const here = await ground(1);
        await writeTo(here.topic, messages(3));
        const heard = open(here, brokers(), () => {
          throw thrown;
        });
        await given(heard, 0);
        readFrom(heard, 0, 0);
        await waitFor('the crash', () => heard.crashes.length > 0);
        await writeTo(here.topic, messages(3));
        // It leaves in good order: the client has not noticed.
        await heard.source.stop();
        expect(heard.crashes).toEqual([expect.objectContaining({ code: 'UNEXPECTED' })]);
        expect(String(heard.crashes[0])).not.toContain('canary');
        expect(heard.batches).toHaveLength(1);
      },
    );

    test('tells once, in our words, that the broker went away for good', async () => {
      const here = await ground(1);
      const proxy = await startProxy(brokers().split(',')[0] ?? '');
      leaving.push(() => proxy.stop());
      const heard = open(here, proxy.address);
      await given(heard, 0);
      readFrom(heard, 0, 0);
      proxy.become('refuse');
      await waitFor('the crash', () => heard.crashes.length > 0);
      expect(heard.crashes).toEqual([expect.objectContaining({ code: 'BROKER_UNREACHABLE', retriable: true })]);
      await heard.source.stop();
      expect(heard.crashes).toHaveLength(1);
    });

    test('rejects at the start when there is no such topic', async () => {
      const heard = open({ topic: `none-${randomUUID()}`, group: `none-${randomUUID()}` });
      await waitFor('the refusal', () => heard.crashes.length > 0);
      expect(heard.crashes).toEqual([expect.objectContaining({ code: 'TOPIC_MISSING' })]);
    });
  });
};
