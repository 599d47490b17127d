/** Numbers and times as people read them. */

/** RFC 3339 in UTC, or null. */
export const isoTime = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

export const things = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

const UNITS = [
  { ms: 86_400_000, word: 'd' },
  { ms: 3_600_000, word: 'h' },
  { ms: 60_000, word: 'min' },
] as const;

/** The two greatest units are not needed: `3 d`, `5 h`, `12 min`, `40 s`. */
export const ageOf = (ms: number): string => {
  const unit = UNITS.find((one) => ms >= 2 * one.ms);
  return unit === undefined ? `${Math.max(0, Math.round(ms / 1_000))} s` : `${Math.floor(ms / unit.ms)} ${unit.word}`;
};
