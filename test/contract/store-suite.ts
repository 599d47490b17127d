/** What every adapter of the store promises. An adapter's test is: open me, hold me to it. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { consumedCount, type Store, type StoreReader } from '../../consumer/index.ts';
import { kafka, schemaId } from '../../wire/index.ts';
import { NOON_MS, uuidNo, uuids } from '../support/builders.ts';
import {
  aFlush,
  aPointer,
  aRow,
  eventIdsIn,
  KEY,
  type OpenStoreUnderTest,
  positionOf,
  quarantineIn,
  type StoreUnderTest,
  TOPIC,
} from './flushes.ts';

export const storeSuite = (name: string, open: OpenStoreUnderTest): void => {
  describe(`the ${name} store`, () => {
    let under: StoreUnderTest;
    let store: Store;
    let reader: StoreReader;

    beforeEach(async () => {
      under = await open();
      store = await under.openStore();
      reader = under.openReader();
    });

    afterEach(async () => {
      await reader.close();
      await store.close();
      await under.close();
    });

    const NONE = { stored: 0, duplicate: 0, filtered: 0, quarantined: 0 };

    test('raises the epoch with every claim and answers the position, each partition and consumer for itself', async () => {
      expect(await store.claim(KEY)).toMatchObject({ epoch: 1, position: undefined });
      expect(await store.flush(aFlush(1, undefined, 10))).toMatchObject({ kind: 'flushed', counts: NONE });
      expect(await store.claim(KEY)).toMatchObject({ epoch: 2, position: 10n });
      expect(await store.claim({ ...KEY, partition: 4 })).toMatchObject({ epoch: 1, position: undefined });
      expect(await store.claim({ ...KEY, consumer: 'graph' })).toMatchObject({ epoch: 1, position: undefined });
      expect(await store.claim({ ...KEY, topic: 'another' })).toMatchObject({ epoch: 1, position: undefined });
    });

    test('keeps a position beyond 2^53 exactly', async () => {
      await store.claim(KEY);
      const far = 9_007_199_254_740_993n;
      await store.flush(aFlush(1, undefined, 0, { nextOffset: kafka.offset(far) }));
      expect(await store.claim(KEY)).toMatchObject({ epoch: 2, position: far });
    });

    test('stores the rows, the pointers, the counters and the position of a flush together', async () => {
      await store.claim(KEY);
      const flush = aFlush(1, undefined, 6, { rows: [aRow(1), aRow(2)], quarantine: [aPointer(3)], filtered: 2 });
      const counts = { stored: 2, duplicate: 0, filtered: 2, quarantined: 1 };
      expect(await store.flush(flush)).toMatchObject({ kind: 'flushed', counts });
      expect(await eventIdsIn(reader)).toEqual(uuids(2));
      expect(await quarantineIn(reader)).toEqual(['3 NOT_FRAMED 1 open - 12']);
      expect(await reader.positions(TOPIC)).toEqual([{ ...KEY, position: 6n, epoch: 1, counts }]);
    });

    test('takes an event again for a duplicate, in a later flush or in the same one', async () => {
      await store.claim(KEY);
      const again = aRow(1, {}, { offset: kafka.offset(8) });
      expect(await store.flush(aFlush(1, undefined, 2, { rows: [aRow(1), again] }))).toMatchObject({
        counts: { stored: 1, duplicate: 1 },
      });
      expect(await store.flush(aFlush(1, 2, 3, { rows: [again] }))).toMatchObject({ counts: { duplicate: 1 } });
      expect(await reader.deviations({})).toMatchObject([{ eventId: uuidNo(1), offset: '1' }]);
    });

    test('takes the same event under another clock for a duplicate, and the first one stands', async () => {
      await store.claim(KEY);
      const first = aRow(1);
      await store.flush(aFlush(1, undefined, 2, { rows: [first] }));
      const later = aRow(1, { occurredAt: first.event.occurredAt + 1_000 });
      expect(await store.flush(aFlush(1, 2, 3, { rows: [later] }))).toMatchObject({ counts: { duplicate: 1 } });
      expect(await reader.deviations({})).toMatchObject([{ occurredAt: '2026-11-30T12:00:00.123Z' }]);
    });

    test('quarantines another event under a used id as a clash; the first row stands', async () => {
      await store.claim(KEY);
      await store.flush(aFlush(1, undefined, 2, { rows: [aRow(1)] }));
      const clash = aRow(1, { tipo: 'reparo_pelo_usuario' }, { offset: kafka.offset(5) });
      const more = aRow(2, {}, { offset: kafka.offset(6) });
      const twice = aRow(2, { agente: 'revisor' }, { offset: kafka.offset(7) });
      expect(await store.flush(aFlush(1, 2, 8, { rows: [clash, more, twice] }))).toMatchObject({
        counts: { stored: 1, quarantined: 2 },
        setAside: [
          { offset: 5n, reason: 'HASH_CLASH' },
          { offset: 7n, reason: 'HASH_CLASH' },
        ],
      });
      expect(await quarantineIn(reader)).toEqual(['5 HASH_CLASH 1 open 7 200', '7 HASH_CLASH 1 open 7 200']);
      expect((await reader.deviations({})).map(({ tipo, agente }) => `${tipo} ${agente}`)).toEqual([
        'laco desenvolvedor',
        'laco desenvolvedor',
      ]);
    });

    test('lets the first in the log stand for an id that a flush holds many times', async () => {
      await store.claim(KEY);
      const rows = Array.from({ length: 300 }, (_, index) =>
        aRow(1 + ((7 - (index % 7)) % 7), {}, { offset: kafka.offset(index) }),
      );
      expect(await store.flush(aFlush(1, undefined, 300, { rows }))).toMatchObject({
        counts: { ...NONE, stored: 7, duplicate: 293 },
      });
      const offsets = (await reader.deviations({})).map(({ offset }) => Number(offset));
      expect(offsets.sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    });

    test('isolates a row that the database refuses as data and keeps its neighbours', async () => {
      await store.claim(KEY);
      const rows = Array.from({ length: 10 }, (_, index) =>
        aRow(index + 1, {}, index === 4 ? { contentHash: 'too short' } : {}),
      );
      expect(await store.flush(aFlush(1, undefined, 11, { rows }))).toMatchObject({
        kind: 'flushed',
        counts: { ...NONE, stored: 9, quarantined: 1 },
        setAside: [{ offset: 5n, reason: 'ROW_REFUSED' }],
      });
      expect(await eventIdsIn(reader)).toEqual(uuids(10).filter((id) => id !== uuidNo(5)));
      expect(await quarantineIn(reader)).toEqual(['5 ROW_REFUSED 1 open 7 200']);
      expect(await positionOf(reader)).toBe('11');
    });

    test('tells a repeat, a clash and a refused row from new ones also in a small flush behind others', async () => {
      await store.claim(KEY);
      await store.flush(aFlush(1, undefined, 2, { rows: [aRow(1)] }));
      const at = (offset: number) => ({ offset: kafka.offset(offset) });
      const rows = [
        aRow(1, {}, at(2)),
        aRow(1, { agente: 'revisor' }, at(3)),
        aRow(4, {}, { contentHash: 'short' }),
        aRow(5),
      ];
      const counts = { stored: 1, duplicate: 1, filtered: 0, quarantined: 2 };
      expect(await store.flush(aFlush(1, 2, 6, { rows }))).toMatchObject({ kind: 'flushed', counts });
      expect(await quarantineIn(reader)).toEqual(['3 HASH_CLASH 1 open 7 200', '4 ROW_REFUSED 1 open 7 200']);
      const flush = aFlush(1, 6, 9, { rows: [aRow(7), aRow(6)], filtered: 1 });
      expect(await store.flush(flush)).toMatchObject({
        kind: 'flushed',
        counts: { stored: 2, duplicate: 0, filtered: 1, quarantined: 0 },
        window: { consumed: 8, quarantined: 2 },
      });
      expect(await store.flush(flush)).toEqual({ kind: 'flushed-before' });
      expect(await eventIdsIn(reader)).toEqual([1, 5, 6, 7].map(uuidNo));
      const [position] = await reader.positions(TOPIC);
      expect(position).toMatchObject({
        position: 9n,
        counts: { stored: 4, duplicate: 1, filtered: 1, quarantined: 2 },
      });
    });

    test('counts the attempts of a record that is quarantined again, and keeps its first reason', async () => {
      await store.claim(KEY);
      await store.flush(aFlush(1, undefined, 4, { quarantine: [aPointer(3)] }));
      await store.flush(aFlush(1, 4, 5, { quarantine: [aPointer(3, { reason: 'TRUNCATED' }), aPointer(4)] }));
      expect(await quarantineIn(reader)).toEqual(['3 NOT_FRAMED 2 open - 12', '4 NOT_FRAMED 1 open - 12']);
    });

    test('gives the entry to another record at its place, open again: the topic was made anew', async () => {
      await store.claim(KEY);
      await store.flush(aFlush(1, undefined, 4, { quarantine: [aPointer(3), aPointer(2)] }));
      await under.change("update quarantine set state = 'discarded'");
      const another = { reason: 'TRUNCATED', schemaId: schemaId(7), recordTimeMs: NOON_MS + 1 } as const;
      await store.flush(aFlush(1, 4, 5, { quarantine: [aPointer(3, another), aPointer(2)] }));
      expect(await quarantineIn(reader)).toEqual(['2 NOT_FRAMED 2 discarded - 12', '3 TRUNCATED 1 open 7 12']);
    });

    test('adds up the counters so that each record is counted once', async () => {
      await store.claim(KEY);
      await store.flush(aFlush(1, undefined, 4, { rows: [aRow(1), aRow(2)], filtered: 2 }));
      await store.flush(
        aFlush(1, 4, 8, { rows: [aRow(2), aRow(1, { agente: 'revisor' })], quarantine: [aPointer(6)], filtered: 1 }),
      );
      const [row] = await reader.positions(TOPIC);
      expect(row?.counts).toEqual({ stored: 2, duplicate: 1, filtered: 3, quarantined: 2 });
      expect(row && consumedCount(row.counts)).toBe(8);
    });

    test('writes nothing under an epoch that was lost', async () => {
      await store.claim(KEY);
      await store.flush(aFlush(1, undefined, 2, { rows: [aRow(1)] }));
      const other = await under.openStore();
      try {
        expect(await other.claim(KEY)).toMatchObject({ epoch: 2, position: 2n });
        const late = aFlush(1, 2, 4, { rows: [aRow(2)], quarantine: [aPointer(3)], filtered: 1 });
        expect(await store.flush(late)).toEqual({ kind: 'epoch-lost' });
        expect(await eventIdsIn(reader)).toEqual([uuidNo(1)]);
        expect(await quarantineIn(reader)).toEqual([]);
        expect(await positionOf(reader)).toBe('2');
        expect(await other.flush({ ...late, epoch: 2 })).toMatchObject({ kind: 'flushed' });
      } finally {
        await other.close();
      }
    });

    test('answers each of several flushes at once: one without its epoch writes nothing, its neighbours do', async () => {
      const partitions = [3, 4, 5].map((partition) => ({ ...KEY, partition }));
      for (const key of partitions) await store.claim(key);
      const flushes = partitions.map((key, at) =>
        aFlush(at === 1 ? 7 : 1, undefined, 2, { ...key, rows: [aRow(1 + at)] }),
      );
      const answers = await Promise.all(flushes.map((flush) => store.flush(flush)));
      expect(answers.map(({ kind }) => kind)).toEqual(['flushed', 'epoch-lost', 'flushed']);
      expect(await eventIdsIn(reader)).toEqual([uuidNo(1), uuidNo(3)]);
    });

    test('tells whether a claim still stands', async () => {
      expect(await store.isHeld(KEY, 1)).toBe(false);
      const { epoch } = await store.claim(KEY);
      expect(await store.isHeld(KEY, epoch)).toBe(true);
      expect(await store.isHeld({ ...KEY, partition: 4 }, epoch)).toBe(false);
      await store.claim(KEY);
      expect(await store.isHeld(KEY, epoch)).toBe(false);
    });

    test('writes nothing without a claim', async () => {
      expect(await store.flush(aFlush(1, undefined, 2, { rows: [aRow(1)] }))).toEqual({ kind: 'epoch-lost' });
      expect(await eventIdsIn(reader)).toEqual([]);
    });

    test('knows a flush that came through before and writes and counts it no second time', async () => {
      await store.claim(KEY);
      const flush = aFlush(1, undefined, 4, { rows: [aRow(1)], quarantine: [aPointer(3)], filtered: 2 });
      expect(await store.flush(flush)).toMatchObject({ kind: 'flushed' });
      const before = await reader.positions(TOPIC);
      expect(await store.flush(flush)).toEqual({ kind: 'flushed-before' });
      expect(await reader.positions(TOPIC)).toEqual(before);
      expect(await quarantineIn(reader)).toEqual(['3 NOT_FRAMED 1 open - 12']);
    });

    test.each([
      ['back', 10, 8],
      ['nowhere', 10, 10],
      ['from another place', 5, 20],
      ['from the very start', undefined, 20],
    ])('never moves the position %s', async (_, from, to) => {
      await store.claim(KEY);
      await store.flush(aFlush(1, undefined, 10));
      const flush = aFlush(1, from, to, { rows: [aRow(1)] });
      expect(['flushed-before', 'position-moved']).toContain((await store.flush(flush)).kind);
      expect(await positionOf(reader)).toBe('10');
      expect(await eventIdsIn(reader)).toEqual([]);
    });

    test('lets two writers work at once, each on its own partition', async () => {
      const other = await under.openStore();
      try {
        const keys = [KEY, { ...KEY, partition: 4 }] as const;
        const write = async (writer: Store, partition: (typeof keys)[number], base: number): Promise<void> => {
          const { epoch } = await writer.claim(partition);
          for (let at = 0; at < 20; at += 1) {
            const flush = aFlush(epoch, at === 0 ? undefined : at, at + 1, { ...partition, rows: [aRow(base + at)] });
            expect(await writer.flush(flush)).toMatchObject({ kind: 'flushed' });
          }
        };
        await Promise.all([write(store, keys[0], 100), write(other, keys[1], 200)]);
        expect(await eventIdsIn(reader)).toEqual([...uuids(20, 100), ...uuids(20, 200)]);
        expect((await reader.positions(TOPIC)).map(({ position }) => position)).toEqual([20n, 20n]);
      } finally {
        await other.close();
      }
    });
  });
};
