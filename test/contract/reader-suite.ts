/** What every adapter's reader promises to the tools, and to whoever asks with SQL. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  bucketOf,
  deviationsInParts,
  type DeviationFilter,
  type Dimension,
  matchesFilter,
  TIME_DIMENSIONS,
  type Store,
  type StoreReader,
} from '../../consumer/index.ts';
import { contentHash, kafka } from '../../wire/index.ts';
import { aDeviation, NOON_MS, PROJECT, SESSION, uuidNo, uuids } from '../support/builders.ts';
import { aFlush, aPointer, aRow, KEY, type OpenStoreUnderTest, type StoreUnderTest, TOPIC } from './flushes.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const ADR_QUERY = "select * from session_events where type = 'anamnese.agent_deviation'";

/** Design section 5: the table is an interface. */
const COLUMNS =
  'id type session_id project_id actor occurred_at agente tipo evidence_event_ids topic partition log_offset schema_id content_hash trace_id recorded_at'.split(
    ' ',
  );

export const readerSuite = (name: string, open: OpenStoreUnderTest): void => {
  describe(`the ${name} reader`, () => {
    let under: StoreUnderTest;
    let store: Store;
    let reader: StoreReader;

    beforeEach(async () => {
      under = await open();
      store = await under.openStore();
      reader = under.openReader();
      await store.claim(KEY);
    });

    afterEach(async () => {
      await reader.close();
      await store.close();
      await under.close();
    });

    test('gives a stored deviation back as it was published, and where it lies', async () => {
      const event = aDeviation({ eventId: uuidNo(1), evidenceEventIds: uuids(20, 50) });
      const row = aRow(1, event, { traceId: TRACE });
      await store.flush(aFlush(1, undefined, 2, { rows: [row] }));
      const [stored] = await reader.deviations({});
      expect(stored).toEqual({
        eventId: uuidNo(1),
        sessionId: SESSION,
        projectId: PROJECT,
        occurredAt: '2026-11-30T12:00:00.123Z',
        actor: 'agent/anamnese',
        agente: 'desenvolvedor',
        tipo: 'laco',
        evidenceEventIds: uuids(20, 50),
        topic: TOPIC,
        partition: KEY.partition,
        offset: '1',
        schemaId: 7,
        contentHash: contentHash(event),
        traceId: TRACE,
        recordedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      });
    });

    test.each([0, 1, 20])('gives %i ids of evidence back as a list', async (count) => {
      await store.flush(aFlush(1, undefined, 2, { rows: [aRow(1, { evidenceEventIds: uuids(count) })] }));
      expect(await reader.deviations({})).toMatchObject([{ evidenceEventIds: uuids(count), traceId: null }]);
    });

    describe('with six deviations stored', () => {
      const rows = [
        aRow(1, { tipo: 'laco', agente: 'desenvolvedor', occurredAt: NOON_MS }),
        aRow(2, { tipo: 'laco', agente: 'revisor', occurredAt: NOON_MS + 1 }),
        aRow(3, { tipo: 'reparo_pelo_usuario', agente: 'revisor', occurredAt: NOON_MS + 1, sessionId: uuidNo(900) }),
        aRow(4, { tipo: 'cancelamento_pelo_usuario', occurredAt: NOON_MS + 2, projectId: uuidNo(901) }),
        aRow(5, { tipo: 'laco', occurredAt: NOON_MS - 5, evidenceEventIds: uuids(3, 70) }),
        aRow(6, { tipo: 'laco', occurredAt: NOON_MS - 4, evidenceEventIds: uuids(3, 72) }, { traceId: TRACE }),
      ];

      beforeEach(async () => {
        await store.flush(aFlush(1, undefined, 7, { rows }));
      });

      test.each<[string, DeviationFilter, readonly number[]]>([
        ['nothing: all of them, the newest first, ties by id', {}, [4, 3, 2, 1, 6, 5]],
        ['an empty list: all of them', { tipos: [] }, [4, 3, 2, 1, 6, 5]],
        ['one kind', { tipos: ['laco'] }, [2, 1, 6, 5]],
        ['either of two kinds', { tipos: ['reparo_pelo_usuario', 'cancelamento_pelo_usuario'] }, [4, 3]],
        ['a kind and an agent', { tipos: ['laco'], agentes: ['revisor'] }, [2]],
        ['a session', { sessionIds: [uuidNo(900)] }, [3]],
        ['a project', { projectIds: [uuidNo(901)] }, [4]],
        ['ids', { eventIds: [uuidNo(1), uuidNo(5), uuidNo(77)] }, [1, 5]],
        ['evidence, in either of two', { evidenceIds: [uuidNo(72)] }, [6, 5]],
        ['evidence, in one', { evidenceIds: [uuidNo(70)] }, [5]],
        ['times, from and not including to', { sinceMs: NOON_MS, untilMs: NOON_MS + 2 }, [3, 2, 1]],
        ['a trace', { traceIds: ['f'.repeat(32), TRACE] }, [6]],
        ['what nothing matches', { tipos: ['laco'], sessionIds: [uuidNo(900)] }, []],
        ['text that is SQL', { agentes: ["x' or '1' = '1"] }, []],
      ])('asked for %s', async (_, filter, found) => {
        expect((await reader.deviations(filter)).map(({ eventId }) => eventId)).toEqual(found.map(uuidNo));
        // What has just arrived is filtered by the same rule.
        const all = await reader.deviations({});
        expect(all.filter((one) => matchesFilter(filter, one)).map(({ eventId }) => eventId)).toEqual(
          found.map(uuidNo),
        );
      });

      test.each([1, 2, 5, 6, 7])('in parts of %i gives each once, in their order', async (partRows) => {
        const inParts = async (limit?: number): Promise<readonly (readonly string[])[]> =>
          (await Array.fromAsync(deviationsInParts(reader, {}, limit, partRows))).map((part) =>
            part.map(({ eventId }) => eventId),
          );
        const parts = await inParts();
        expect(parts.flat()).toEqual([4, 3, 2, 1, 6, 5].map(uuidNo));
        expect(parts.every((part) => part.length > 0 && part.length <= partRows)).toBe(true);
        expect((await inParts(4)).flat()).toEqual([4, 3, 2, 1].map(uuidNo));
        expect(await Array.fromAsync(deviationsInParts(reader, { agentes: ['nobody'] }))).toEqual([]);
      });

      test('asked for at most so many gives the newest', async () => {
        expect((await reader.deviations({}, 2)).map(({ eventId }) => eventId)).toEqual([4, 3].map(uuidNo));
      });

      test('counts by words, by sessions and over all', async () => {
        const counted = async (by: readonly Dimension[], filter: DeviationFilter = {}): Promise<readonly string[]> =>
          (await reader.counts(filter, by)).map(({ keys, count }) => [...keys, count].join(' ')).sort();
        expect(await counted(['tipo'])).toEqual(['cancelamento_pelo_usuario 1', 'laco 4', 'reparo_pelo_usuario 1']);
        expect(await counted(['agente', 'tipo'], { agentes: ['revisor'] })).toEqual([
          'revisor laco 1',
          'revisor reparo_pelo_usuario 1',
        ]);
        expect(await counted(['session'])).toEqual([`${uuidNo(900)} 1`, `${SESSION} 5`]);
        expect(await counted([], { agentes: ['nobody'] })).toEqual([]);
        expect(await reader.counts({}, [])).toEqual([
          {
            keys: [],
            count: 6,
            sessions: 2,
            firstAt: new Date(NOON_MS - 5).toISOString(),
            lastAt: new Date(NOON_MS + 2).toISOString(),
          },
        ]);
      });

      test('counts in slots of a millisecond, each bound exact', async () => {
        const slots = { fromMs: NOON_MS - 5, slotMs: 1, count: 7 };
        const counted = (await reader.slotCounts({}, ['agente'], slots)).map(
          ({ keys, slot, count }) => `${keys.join(' ')} ${slot} ${count}`,
        );
        expect([...counted].sort()).toEqual([
          'desenvolvedor 0 1',
          'desenvolvedor 1 1',
          'desenvolvedor 5 1',
          'revisor 6 2',
        ]);
      });

      test('answers the ADR’s own query, word for word', async () => {
        const answered = await reader.select(ADR_QUERY);
        expect(answered.map((row) => String(row.id)).sort()).toEqual(uuids(6));
        expect(Object.keys(answered[0] ?? {}).sort()).toEqual([...COLUMNS].sort());
      });

      test.each([
        ['v_agent_deviation', 'select id as one from v_agent_deviation', 6],
        ['v_agent_deviation_daily', 'select sum(deviations) as one from v_agent_deviation_daily', 1],
        ['v_agent_deviation_evidence', 'select evidence_event_id as one from v_agent_deviation_evidence', 6],
      ])('answers the view %s', async (_, sql, count) => {
        expect(await reader.select(sql)).toHaveLength(count);
      });
    });

    test.each(TIME_DIMENSIONS)('names the %s of a deviation as the program does', async (dimension) => {
      const times = [
        '2020-01-01T00:00:00.000Z',
        '2024-12-29T23:59:59.999Z',
        '2024-12-30T00:00:00.000Z',
        '2026-12-31T12:00:00.001Z',
        '2027-01-03T23:59:59.999Z',
        '2028-02-29T07:30:00.500Z',
        '2099-12-31T23:59:59.999Z',
      ].map((text) => Date.parse(text));
      const rows = times.map((occurredAt, index) => aRow(index + 1, { occurredAt }));
      await store.flush(aFlush(1, undefined, 9, { rows }));
      const counted = (await reader.counts({}, [dimension])).map(({ keys }) => keys.join());
      expect([...counted].sort()).toEqual([...new Set(times.map((ms) => bucketOf(dimension, ms)))].sort());
    });

    test('changes nothing, whatever it is asked', async () => {
      await store.flush(aFlush(1, undefined, 2, { rows: [aRow(1)], quarantine: [aPointer(1)] }));
      for (const sql of [
        'delete from session_events',
        'drop table quarantine',
        'update stream_positions set epoch = 9',
      ]) {
        await expect(reader.select(sql)).rejects.toMatchObject({ name: 'StreamError' });
      }
      expect(await reader.select(ADR_QUERY)).toHaveLength(1);
      expect(await reader.positions(TOPIC)).toMatchObject([{ epoch: 1, position: 2n }]);
    });

    test('gives the latest rows and the positions as of one moment, whatever is flushed meanwhile', async () => {
      const end = 60;
      const flushing = (async () => {
        for (let at = 0; at < end; at += 1) {
          await store.flush(
            aFlush(1, at === 0 ? undefined : at, at + 1, { rows: [aRow(at, { occurredAt: NOON_MS + at })] }),
          );
        }
      })();
      for (let seen = 0n; seen < end; ) {
        const { deviations, positions } = await reader.latest(TOPIC, {}, 1);
        const position = positions[0]?.position ?? 0n;
        // The newest row is that of the record before the position: neither is a moment older than the other.
        expect(deviations.map(({ offset }) => BigInt(offset) + 1n)).toEqual(position === 0n ? [] : [position]);
        seen = position;
        // An embedded database answers within the turn, and flushes behind it.
        await new Promise(setImmediate);
      }
      await flushing;
      expect((await reader.latest(TOPIC, { tipos: ['laco'] }, 5)).deviations).toHaveLength(5);
    });

    test('goes over the places of all rows page by page, and over the quarantine of a range', async () => {
      const quarantine = [aPointer(4), aPointer(6), aPointer(8)];
      await store.flush(aFlush(1, undefined, 9, { rows: [3, 1, 2, 7, 5].map((n) => aRow(n)), quarantine }));
      const pages: string[][] = [];
      for (let after: string | undefined; ; after = pages.at(-1)?.at(-1)) {
        const page = await reader.storedPlaces(TOPIC, after, 2);
        if (page.length === 0) break;
        expect(page.map(({ partition, offset }) => `${partition}/${uuidNo(Number(offset))}`)).toEqual(
          page.map(({ eventId }) => `${KEY.partition}/${eventId}`),
        );
        pages.push(page.map(({ eventId }) => eventId));
      }
      expect(pages).toEqual([[uuidNo(1), uuidNo(2)], [uuidNo(3), uuidNo(5)], [uuidNo(7)]]);
      expect(await reader.storedPlaces('another', undefined, 2)).toEqual([]);
      const within = await reader.quarantinedIn(KEY, kafka.offset(4), kafka.offset(8));
      expect(within.map(({ offset, state }) => `${offset} ${state}`)).toEqual(['4 open', '6 open']);
      expect(await reader.quarantinedIn({ ...KEY, consumer: 'graph' }, kafka.offset(0), kafka.offset(9))).toEqual([]);
    });

    test('knows the positions of the topic that it is asked about, and of no other', async () => {
      await store.flush(aFlush(1, undefined, 2));
      await store.claim({ ...KEY, partition: 5 });
      expect((await reader.positions(TOPIC)).map(({ partition }) => partition)).toEqual([3]);
      expect(await reader.positions('another')).toEqual([]);
    });

    test('counts the open quarantine of the topic by consumer and reason', async () => {
      const quarantine = [aPointer(1), aPointer(2, { reason: 'TIPO_UNKNOWN' }), aPointer(3)];
      await store.flush(aFlush(1, undefined, 4, { quarantine }));
      await under.change("update quarantine set state = 'discarded' where log_offset = 2");
      expect(await reader.openQuarantine(TOPIC)).toEqual([{ consumer: 'sink', reason: 'NOT_FRAMED', count: 2 }]);
      expect(await reader.openQuarantine('another')).toEqual([]);
    });

    test('tells the losses of the topic that an operator recorded', async () => {
      await store.adopt(KEY, { from: kafka.offset(4), to: kafka.offset(9), why: 'retention' });
      expect(await reader.losses(TOPIC)).toEqual([
        {
          ...KEY,
          from: 4n,
          to: 9n,
          why: 'retention',
          adoptedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        },
      ]);
      expect(await reader.losses('another')).toEqual([]);
    });
  });
};
