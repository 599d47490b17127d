/** A word that somebody may have meant: few edits away, counted as optimal string alignment. */
const MAX_EDITS = 3;
/** Of the longer word, the share that must be right. */
const LEAST_LIKENESS = 0.4;

const edits = (a: string, b: string): number => {
  let [before, row]: [readonly number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? 0) + 1 : Infinity;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + cost, swapped));
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? Infinity;
};

/** The word of the list that is nearest to what was given, or undefined when none is near. */
export const nearMiss = (given: string, words: readonly string[]): string | undefined => {
  const lowered = given.toLowerCase();
  const begins = lowered.length >= 3 ? words.filter((word) => word.startsWith(lowered)) : [];
  if (begins.length === 1) return begins[0];
  let best: { readonly word: string; readonly distance: number } | undefined;
  for (const word of words) {
    const distance = edits(lowered, word);
    const length = Math.max(lowered.length, word.length);
    if (distance > MAX_EDITS || (length - distance) / length <= LEAST_LIKENESS) continue;
    if (best === undefined || distance < best.distance) best = { word, distance };
  }
  return best?.word;
};

/** What a usage error says about a word that is not of a closed list. */
export const oneOf = (given: string, words: readonly string[]): string => {
  const near = nearMiss(given, words);
  return `Give one of ${words.join(', ')}.${near === undefined ? '' : ` (Did you mean ${near}?)`}`;
};
