/** What the index of words keeps of an id: migration 002 says why. */

/** Eight hexadecimal digits from the end: what a kind of id has in common with its neighbours (a time) stands in front. */
export const wordOf = (id: string): string => id.slice(-8);

/** As the index takes a question for any of these; what is no id has no word and is found nowhere. */
export const matching = (ids: readonly string[]): string =>
  ids
    .map(wordOf)
    .map((word) => (/^[0-9a-f]{8}$/i.test(word) ? `"${word}"` : '""'))
    .join(' OR ');
