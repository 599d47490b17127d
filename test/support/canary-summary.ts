/** What a run of the fuzz says at its end. */
import type { Tally } from './canary-tally.ts';

const sorted = (counts: ReadonlyMap<string, number>): readonly (readonly [string, number])[] =>
  [...counts].sort(([a], [b]) => (a < b ? -1 : 1));

const listed = (counts: ReadonlyMap<string, number>): string =>
  sorted(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ') || 'none';

const sumOf = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((sum, one) => sum + one, 0);

/** Lines of talk; no mark is in them unless one leaked. */
export const summaryOf = (title: string, seed: number, tally: Tally): readonly string[] => [
  `${title}, seed ${seed}`,
  `  calls      ${tally.calls}: ${tally.recorded} recorded, ${sumOf(tally.refused)} refused, ${sumOf(tally.errors)} errors where one is due`,
  `  refused    ${listed(tally.refused)}`,
  `  answers    ${tally.answers.size} distinct texts of refusals`,
  `  consumers  ${listed(tally.judged)}`,
  `  errors     ${listed(tally.errors)}`,
  `  marks      ${tally.planted} planted in ${tally.places.size} places, ${tally.missing.length} of them not found in the input`,
  `  searched   ${listed(tally.searched)} (characters)`,
  `  hits       ${tally.hits.length}`,
  ...tally.hits.map(
    ({ call, surface, form, seen }) => `    call ${call}, ${surface}, ${form}: ${JSON.stringify(seen)}`,
  ),
  ...tally.missing.slice(0, 20).map(({ call, place }) => `    call ${call}: no mark was found at ${place}`),
];

export const isClean = (tally: Tally): boolean => tally.hits.length === 0 && tally.missing.length === 0;
