import { beforeAll, describe, expect, test } from '@jest/globals';
import { QUARANTINE_REASONS } from '../../wire/index.ts';
import { REFUSAL_CODES } from '../../producer/index.ts';
import { aReportCall } from '../support/canary-call.ts';
import { DISCARDED_ALIVE, REFUSED_ALIVE } from '../support/canary-alive.ts';
import { DISCARDED } from '../support/canary-places.ts';
import { REFUSED } from '../support/canary-refused-places.ts';
import { reachableText } from '../support/canary-reach.ts';
import { runFuzz } from '../support/canary-run.ts';
import type { Tally } from '../support/canary-tally.ts';

/** The million is for `npm run fuzz`; here, and in CI, what a minute allows. */
const CALLS = 20_000;
const SEED = 20_261_130;

/** Of the closed list, those that a judge alone can give; the other two come from the table. */
const JUDGED_REASONS = QUARANTINE_REASONS.filter((reason) => reason !== 'HASH_CLASH' && reason !== 'ROW_REFUSED');

let tally: Tally;
beforeAll(async () => {
  tally = await runFuzz({ calls: CALLS, seed: SEED });
}, 300_000);

describe(`in ${CALLS} calls, seed ${SEED}, a mark that stands where a person's words could`, () => {
  test('is in no record, row, quarantine entry, answer, log, output or error', () => {
    expect(tally.hits).toEqual([]);
    expect(tally.calls).toBe(CALLS);
  });

  test('was planted, each time', () => {
    expect(tally.missing).toEqual([]);
    expect(tally.planted).toBeGreaterThan(3 * CALLS);
  });

  test('was planted in every place there is', () => {
    const places = [...DISCARDED, ...DISCARDED_ALIVE, ...REFUSED, ...REFUSED_ALIVE].map(({ place }) => place);
    expect(places.filter((place) => place !== 'nested value' && !tally.places.has(place))).toEqual([]);
  });

  test('met every refusal and every reason of a quarantine, and many that were recorded', () => {
    expect([...tally.refused.keys()].sort()).toEqual([...REFUSAL_CODES].sort());
    expect(JUDGED_REASONS.filter((reason) => !tally.judged.has(reason))).toEqual([]);
    expect(tally.recorded).toBeGreaterThan(CALLS / 5);
    expect(tally.judged.get('row')).toBeGreaterThan(CALLS / 20);
    expect([...tally.errors.keys()].sort()).toEqual(['EVENT_INVALID', 'JSON-RPC']);
  });
});

test('the same seed gives the same calls', async () => {
  const wish = { seed: 3, number: 14, refused: 0.5, hugeEvery: 1_000 };
  expect(await reachableText(aReportCall(wish).report)).toBe(await reachableText(aReportCall(wish).report));
  expect(aReportCall({ ...wish, seed: 4 }).core).not.toBe(aReportCall(wish).core);
});
