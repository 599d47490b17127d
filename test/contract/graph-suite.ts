/** What every adapter promises of the person's graph: the same, byte for byte, whatever the order of arrival. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type GraphChange, GraphEventTranslator } from '../../consumer/index.ts';
import { LEVELS } from '../../schemas/index.ts';
import { aFact, aProficiency, NOON_MS, uuidNo } from '../support/builders.ts';
import { aFlush, KEY, type OpenStoreUnderTest } from './flushes.ts';

const GRAPH = { ...KEY, consumer: 'graph' } as const;

/** The n-th event: few persons and few times, so that many meet at one node and many tie. */
const changesOf = (n: number): readonly GraphChange[] => {
  const envelope = { eventId: uuidNo(n), occurredAt: NOON_MS + (n % 3), personId: uuidNo(1_000 + (n % 2)) };
  return n % 5 === 0
    ? GraphEventTranslator.translate({
        type: 'anamnese.fact_accepted',
        event: aFact({ ...envelope, factId: uuidNo(3_000 + (n % 3)) }),
      })
    : GraphEventTranslator.translate({
        type: 'anamnese.proficiency_emitted',
        event: aProficiency({
          ...envelope,
          competencyId: uuidNo(2_000 + (n % 2)),
          level: LEVELS[n % LEVELS.length] ?? 'expert',
        }),
      });
};

export const graphSuite = (name: string, open: OpenStoreUnderTest): void => {
  /** The dump after these batches of events, in a database of their own. */
  const dumpOf = async (batches: readonly (readonly number[])[]): Promise<readonly string[]> => {
    const under = await open();
    const store = await under.openStore();
    const reader = under.openReader();
    try {
      const { epoch } = await store.claim(GRAPH);
      for (const [at, events] of batches.entries()) {
        const answer = await store.flush(
          aFlush(epoch, at === 0 ? undefined : at, at + 1, {
            ...GRAPH,
            changes: events.flatMap(changesOf),
            projected: events.length,
          }),
        );
        expect(answer).toMatchObject({ kind: 'flushed', counts: { stored: events.length } });
      }
      const { nodes, edges } = await reader.graphSize();
      const dump = await reader.graphDump();
      expect(dump).toHaveLength(nodes + edges);
      return dump;
    } finally {
      await reader.close();
      await store.close();
      await under.close();
    }
  };

  describe(`the ${name} graph`, () => {
    const events = Array.from({ length: 24 }, (_, index) => index + 1);

    test('is the same whatever the order and the batches, also when events come twice', async () => {
      const expected = await dumpOf([events]);
      expect(expected.length).toBeGreaterThan(5);
      const order = fc.shuffledSubarray(events, { minLength: events.length, maxLength: events.length });
      await fc.assert(
        fc.asyncProperty(order, fc.nat({ max: events.length }), fc.subarray(events), async (shuffled, cut, again) => {
          expect(await dumpOf([shuffled.slice(0, cut), shuffled.slice(cut), again])).toEqual(expected);
        }),
        { numRuns: 15 },
      );
    });

    test('shows who made a node and who set a level, by the time of the event and then by its id', async () => {
      // 1, 7 and 13 have one person, one competency and one time; 13 says what 1 says, 7 says otherwise.
      const dump = (await dumpOf([[13], [1], [7]])).join('\n');
      expect(dump).toContain(uuidNo(1));
      expect(dump).toContain(uuidNo(13));
      expect(dump).not.toContain(uuidNo(7));
    });
  });
};
