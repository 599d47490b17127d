import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type GraphChange, GraphEventTranslator } from '../../../consumer/index.ts';
import { mergeChanges } from '../../../consumer/graph/merge.ts';
import { LEVELS } from '../../../schemas/index.ts';
import { aFact, aProficiency, NOON_MS, uuidNo } from '../../support/builders.ts';

/** Few persons, few times: many ties. */
const changes: fc.Arbitrary<readonly GraphChange[]> = fc
  .array(
    fc.record({
      event: fc.nat({ max: 500 }),
      person: fc.nat({ max: 2 }),
      thing: fc.nat({ max: 2 }),
      at: fc.nat({ max: 3 }),
      level: fc.option(fc.constantFrom(...LEVELS)),
    }),
    { maxLength: 12 },
  )
  .map((events) =>
    events.flatMap(({ event, person, thing, at, level }) => {
      const envelope = { eventId: uuidNo(event), occurredAt: NOON_MS + at, personId: uuidNo(1_000 + person) };
      return level === null
        ? GraphEventTranslator.translate({
            type: 'anamnese.fact_accepted',
            event: aFact({ ...envelope, factId: uuidNo(2_000 + thing) }),
          })
        : GraphEventTranslator.translate({
            type: 'anamnese.proficiency_emitted',
            // The event id decides ties, so the same id never says two levels.
            event: aProficiency({
              ...envelope,
              competencyId: uuidNo(2_000 + thing),
              level: LEVELS[event % LEVELS.length] ?? level,
            }),
          });
    }),
  );

const permuted = changes.chain((list) =>
  fc.tuple(fc.constant(list), fc.shuffledSubarray([...list], { minLength: list.length, maxLength: list.length })),
);

describe('merging', () => {
  test('gives the same graph whatever the order', () => {
    fc.assert(
      fc.property(permuted, ([list, other]) => {
        expect(mergeChanges(other)).toEqual(mergeChanges(list));
      }),
    );
  });

  test('takes the same change twice for once', () => {
    fc.assert(
      fc.property(changes, (list) => {
        expect(mergeChanges([...list, ...list])).toEqual(mergeChanges(list));
      }),
    );
  });

  test('lets the least event make an edge and the greatest set its level, by time and then by id', () => {
    const at = (event: number, ms: number, level: (typeof LEVELS)[number]) =>
      GraphEventTranslator.translate({
        type: 'anamnese.proficiency_emitted',
        event: aProficiency({ eventId: uuidNo(event), occurredAt: NOON_MS + ms, level }),
      });
    const { edges, nodes } = mergeChanges([
      ...at(5, 1, 'expert'),
      ...at(2, 2, 'beginner'),
      ...at(3, 2, 'advanced'),
      ...at(4, 1, 'intermediate'),
    ]);
    expect(edges).toMatchObject([
      { madeBy: { eventId: uuidNo(4) }, level: { level: 'advanced', setBy: { eventId: uuidNo(3) } } },
    ]);
    expect(nodes.map(({ madeBy }) => madeBy.eventId)).toEqual([uuidNo(4), uuidNo(4)]);
  });
});
