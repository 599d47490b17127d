/** Counts over time as one glyph each, by the greatest of them. Something is never drawn as nothing. */
import type { Glyphs } from './glyphs.ts';

export const sparkline = (counts: readonly number[], { levels }: Glyphs): string => {
  const most = Math.max(1, ...counts);
  const top = levels.length - 1;
  return counts.map((count) => levels[count === 0 ? 0 : Math.max(1, Math.round((count / most) * top))]).join('');
};

/** Half as many, each the sum of two neighbours. */
export const halved = (counts: readonly number[]): readonly number[] =>
  Array.from({ length: Math.ceil(counts.length / 2) }, (_, at) => (counts[2 * at] ?? 0) + (counts[2 * at + 1] ?? 0));
