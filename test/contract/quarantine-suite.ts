/** What every adapter promises of a second look at a quarantined record: stored exactly once and resolved, or neither. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  GraphEventTranslator,
  type QuarantineEntry,
  type QuarantineFilter,
  type QuarantineKey,
  type Settled,
  type Store,
  type StoreReader,
} from '../../consumer/index.ts';
import { kafka } from '../../wire/index.ts';
import { aFact, NOON_MS, uuidNo, uuids } from '../support/builders.ts';
import { rngOf } from '../support/faults-rng.ts';
import {
  aFlush,
  aPointer,
  aRow,
  eventIdsIn,
  KEY,
  type OpenStoreUnderTest,
  positionOf,
  type StoreUnderTest,
  TOPIC,
} from './flushes.ts';

const GRAPH = { ...KEY, consumer: 'graph' } as const;
const at = (offset: number, more: Partial<QuarantineKey> = {}): QuarantineKey => ({
  ...KEY,
  offset: kafka.offset(offset),
  ...more,
});
const rowLook = (...given: Parameters<typeof aRow>) => ({ kind: 'row', row: aRow(...given) }) as const;

export const quarantineSuite = (name: string, open: OpenStoreUnderTest): void => {
  describe(`the ${name} quarantine`, () => {
    let under: StoreUnderTest;
    let store: Store;
    let reader: StoreReader;

    beforeEach(async () => {
      under = await open();
      store = await under.openStore();
      reader = under.openReader();
      await store.claim(KEY);
      await store.claim(GRAPH);
      await store.flush(
        aFlush(1, undefined, 10, {
          rows: [aRow(1)],
          quarantine: [aPointer(3, { reason: 'SCHEMA_UNKNOWN' }), aPointer(4), aPointer(5, { reason: 'TRUNCATED' })],
        }),
      );
      await store.flush(
        aFlush(1, undefined, 10, { ...GRAPH, quarantine: [aPointer(3, { reason: 'SCHEMA_UNKNOWN' })] }),
      );
    });

    afterEach(async () => {
      await reader.close();
      await store.close();
      await under.close();
    });

    const entry = async (offset: number, consumer: 'sink' | 'graph' = 'sink'): Promise<QuarantineEntry | undefined> =>
      (await reader.quarantine(TOPIC, { consumers: [consumer], fromOffset: kafka.offset(offset), limit: 1_000 })).find(
        (one) => one.offset === kafka.offset(offset),
      );

    test('shows an entry whole', async () => {
      expect(await entry(3)).toEqual({
        ...at(3),
        reason: 'SCHEMA_UNKNOWN',
        schemaId: null,
        size: 12,
        recordTime: new Date(NOON_MS).toISOString(),
        firstSeenAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        lastSeenAt: expect.stringMatching(/Z$/),
        attempts: 1,
        state: 'open',
        resolvedAt: null,
      });
    });

    test('lists by every filter, and the entries of the topic alone', async () => {
      const cases: readonly (readonly [QuarantineFilter, readonly string[]])[] = [
        [{}, ['graph 3', 'sink 3', 'sink 4', 'sink 5']],
        [{ consumers: ['graph'] }, ['graph 3']],
        [{ reasons: ['TRUNCATED', 'NOT_FRAMED'] }, ['sink 4', 'sink 5']],
        [{ states: ['discarded'] }, []],
        [{ states: ['open', 'resolved'] }, ['graph 3', 'sink 3', 'sink 4', 'sink 5']],
        [{ partitions: [KEY.partition, 9] }, ['graph 3', 'sink 3', 'sink 4', 'sink 5']],
        [{ partitions: [9] }, []],
        [{ fromOffset: kafka.offset(4), toOffset: kafka.offset(5) }, ['sink 4']],
        [{ sinceMs: NOON_MS - 1 }, ['graph 3', 'sink 3', 'sink 4', 'sink 5']],
        [{ sinceMs: Date.UTC(2090, 0, 1) }, []],
        [{ consumers: ['sink'], limit: 2 }, ['sink 3', 'sink 4']],
      ];
      for (const [filter, found] of cases) {
        const listed = await reader.quarantine(TOPIC, filter);
        expect([filter, listed.map(({ consumer, offset }) => `${consumer} ${offset}`).toSorted()]).toEqual([
          filter,
          found,
        ]);
        expect(await reader.quarantine('another', filter)).toEqual([]);
      }
    });

    test('stores the event of a record that is right by now, resolves its entry, and leaves position and counters alone', async () => {
      const before = await reader.positions(TOPIC);
      expect(await store.settle(at(3), rowLook(3))).toEqual({ kind: 'stored' });
      expect(await eventIdsIn(reader)).toEqual([uuidNo(1), uuidNo(3)]);
      expect((await reader.deviations({ eventIds: [uuidNo(3)] }))[0]).toMatchObject({ partition: 3, offset: '3' });
      expect(await entry(3)).toMatchObject({ state: 'resolved', attempts: 2, resolvedAt: expect.stringMatching(/Z$/) });
      expect(await entry(4)).toMatchObject({ state: 'open', attempts: 1 });
      expect(await reader.positions(TOPIC)).toEqual(before);
    });

    test('resolves what a duplicate stored meanwhile, and what is not of the consumer’s types after all', async () => {
      expect(await store.settle(at(3), rowLook(1, {}, { offset: kafka.offset(3) }))).toEqual({ kind: 'duplicate' });
      expect(await store.settle(at(4), { kind: 'filtered' })).toEqual({ kind: 'filtered' });
      expect(await eventIdsIn(reader)).toEqual([uuidNo(1)]);
      expect([(await entry(3))?.state, (await entry(4))?.state]).toEqual(['resolved', 'resolved']);
    });

    test.each<[string, Parameters<Store['settle']>[1], Settled]>([
      ['wrong still', { kind: 'wrong', reason: 'TRUNCATED' }, { kind: 'wrong', reason: 'TRUNCATED' }],
      ['a clash', rowLook(1, { agente: 'revisor' }), { kind: 'wrong', reason: 'HASH_CLASH' }],
      [
        'refused by the database',
        rowLook(3, {}, { contentHash: 'too short' }),
        { kind: 'wrong', reason: 'ROW_REFUSED' },
      ],
    ])('counts one more attempt on a record that is %s, and stores nothing', async (_, look, settled) => {
      expect(await store.settle(at(3), look)).toEqual(settled);
      expect(await entry(3)).toMatchObject({ state: 'open', reason: 'SCHEMA_UNKNOWN', attempts: 2, resolvedAt: null });
      expect(await eventIdsIn(reader)).toEqual([uuidNo(1)]);
      expect((await reader.deviations({}))[0]).toMatchObject({ agente: 'desenvolvedor' });
    });

    test('projects the changes of a graph entry and resolves that entry alone', async () => {
      const changes = GraphEventTranslator.translate({ type: 'anamnese.fact_accepted', event: aFact() });
      expect(await store.settle(at(3, GRAPH), { kind: 'graph', changes })).toEqual({ kind: 'stored' });
      expect(await reader.graphSize()).toEqual({ nodes: 2, edges: 1 });
      expect([(await entry(3, 'graph'))?.state, (await entry(3))?.state]).toEqual(['resolved', 'open']);
    });

    test('writes nothing for a place that has no entry, or is resolved', async () => {
      expect(await store.settle(at(8), rowLook(8))).toEqual({ kind: 'no-entry' });
      await store.settle(at(3), rowLook(3));
      expect(await store.settle(at(3), rowLook(9))).toEqual({ kind: 'resolved-before' });
      expect(await eventIdsIn(reader)).toEqual([uuidNo(1), uuidNo(3)]);
      expect(await entry(3)).toMatchObject({ attempts: 2 });
    });

    test('gives an open entry up, once, and takes it back when a retry finds it right', async () => {
      expect(await store.discard(at(4))).toBe(true);
      expect(await store.discard(at(4))).toBe(false);
      expect(await store.discard(at(8))).toBe(false);
      expect(await entry(4)).toMatchObject({ state: 'discarded', resolvedAt: expect.stringMatching(/Z$/) });
      expect(await store.settle(at(4), { kind: 'wrong', reason: 'NOT_FRAMED' })).toMatchObject({ kind: 'wrong' });
      expect(await entry(4)).toMatchObject({ state: 'discarded' });
      expect(await store.settle(at(4), rowLook(4))).toEqual({ kind: 'stored' });
      expect(await entry(4)).toMatchObject({ state: 'resolved' });
      expect(await store.discard(at(4))).toBe(false);
    });

    test('stores once when two retry the same entry at once', async () => {
      const other = await under.openStore();
      try {
        const answers = await Promise.all([store.settle(at(3), rowLook(3)), other.settle(at(3), rowLook(3))]);
        expect(answers.map(({ kind }) => kind).toSorted()).toEqual(['resolved-before', 'stored']);
        expect(await eventIdsIn(reader)).toEqual([uuidNo(1), uuidNo(3)]);
        expect(await entry(3)).toMatchObject({ state: 'resolved', attempts: 2 });
      } finally {
        await other.close();
      }
    });

    test.each([1, 2, 3])('races the flushes of a sink without harm to either: seed %i', async (seed) => {
      const { between } = rngOf(seed);
      const wrong = 12;
      const more = 24;
      const poisoned = Array.from({ length: wrong }, (_, index) => 10 + index);
      await store.flush(
        aFlush(1, 10, 10 + wrong, { quarantine: poisoned.map((n) => aPointer(n, { reason: 'SCHEMA_UNKNOWN' })) }),
      );
      const retrier = await under.openStore();
      try {
        // The sink meets the same events again, at other places, in batches of a size of the seed's.
        const sink = async (): Promise<void> => {
          for (let from = 10 + wrong; from < 10 + wrong + more; ) {
            const to = Math.min(from + between(1, 5), 10 + wrong + more);
            const rows = Array.from({ length: to - from }, (_, index) =>
              aRow(between(10, 9 + wrong + 6), {}, { offset: kafka.offset(from + index) }),
            );
            expect(await store.flush(aFlush(1, from, to, { rows }))).toMatchObject({ kind: 'flushed' });
            from = to;
          }
        };
        const retries = async (): Promise<void> => {
          for (const n of poisoned)
            expect(['stored', 'duplicate']).toContain((await retrier.settle(at(n), rowLook(n))).kind);
        };
        await Promise.all([sink(), retries()]);
        expect(await positionOf(reader)).toBe(String(10 + wrong + more));
        const ids = await eventIdsIn(reader);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids).toEqual(expect.arrayContaining([...uuids(wrong, 10)]));
        expect(
          (await reader.quarantine(TOPIC, { states: ['resolved'] }))
            .map(({ offset }) => Number(offset))
            .toSorted((a, b) => a - b),
        ).toEqual(poisoned);
        const [row] = (await reader.positions(TOPIC)).filter(({ consumer }) => consumer === 'sink');
        expect(row?.counts).toMatchObject({ quarantined: 3 + wrong, filtered: 0 });
        expect((row?.counts.stored ?? 0) + (row?.counts.duplicate ?? 0)).toBe(1 + more);
      } finally {
        await retrier.close();
      }
    });
  });
};
