import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkEvidence } from '../../../producer/evidence.ts';
import { EVIDENCE_CEILING } from '../../../schemas/index.ts';
import { uuid } from '../../support/arbitraries.ts';
import { uuidNo, uuids } from '../../support/builders.ts';

const NONE = { kept: 0, duplicates: 0, malformed: 0, unknown: 0, overCeiling: 0 };

/** A list as a model makes it: ids in either case, often repeated, and what is no id. */
const noise = fc.oneof(
  uuid,
  uuid.map((id) => id.toUpperCase()),
  fc.nat({ max: 40 }).map(uuidNo),
  fc.anything(),
);

describe('evidence', () => {
  test('is counted into five words that add up to the list’s length, whatever is in it', () => {
    fc.assert(
      fc.property(
        fc.array(noise, { maxLength: 80 }),
        fc.option(fc.array(fc.nat({ max: 40 }).map(uuidNo)), { nil: undefined }),
        (list, known) => {
          const { counts, kept } = checkEvidence(list, known === undefined ? undefined : new Set(known));
          expect(counts.kept + counts.duplicates + counts.malformed + counts.unknown + counts.overCeiling).toBe(
            list.length,
          );
          expect(kept).toHaveLength(counts.kept);
          expect(counts.kept).toBeLessThanOrEqual(EVIDENCE_CEILING);
          expect(kept).toEqual([...new Set(kept)].sort());
          if (known === undefined) expect(counts.unknown).toBe(0);
          else expect(kept.filter((id) => !known.includes(id))).toEqual([]);
        },
      ),
    );
  });

  test('keeps the first twenty that are left, and sorts them afterwards', () => {
    const backwards = [...uuids(25)].reverse();
    const { counts, kept } = checkEvidence(backwards, undefined);
    expect(counts).toEqual({ ...NONE, kept: 20, overCeiling: 5 });
    expect(kept).toEqual(uuids(20, 6));
  });

  test('takes upper case for the same id', () => {
    const { counts, kept } = checkEvidence([uuidNo(10).toUpperCase(), uuidNo(10)], undefined);
    expect(counts).toEqual({ ...NONE, kept: 1, duplicates: 1 });
    expect(kept).toEqual([uuidNo(10)]);
  });

  test('counts each item by the first rule that it breaks', () => {
    const known = new Set([uuidNo(1)]);
    expect(checkEvidence(['no id', 'no id', uuidNo(9), uuidNo(9), uuidNo(1), uuidNo(1)], known).counts).toEqual({
      kept: 1,
      duplicates: 2,
      malformed: 2,
      unknown: 1,
      overCeiling: 0,
    });
  });

  test('is all unknown to a session that has no event yet, and not unknown without a look-up', () => {
    expect(checkEvidence(uuids(3), new Set()).counts).toEqual({ ...NONE, unknown: 3 });
    expect(checkEvidence(uuids(3), undefined).counts).toEqual({ ...NONE, kept: 3 });
    expect(checkEvidence([], undefined)).toEqual({ counts: NONE, kept: [] });
  });

  test('fills the ceiling with what is known, not with what is unknown', () => {
    const { counts } = checkEvidence(uuids(45), new Set(uuids(20, 26)));
    expect(counts).toEqual({ ...NONE, kept: 20, unknown: 25 });
  });
});
