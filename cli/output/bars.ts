/** Counts as bars, the greatest first, ties by name. */
import type { Glyphs } from './glyphs.ts';

const BAR_WIDTH = 30;

export const countBy = <R>(records: readonly R[], key: (record: R) => string): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const record of records) counts.set(key(record), (counts.get(key(record)) ?? 0) + 1);
  return counts;
};

/** A count that is not nothing shows as something. */
export const bar = (count: number, most: number, width: number, glyphs: Glyphs): string =>
  count === 0 ? '' : glyphs.bar.repeat(Math.max(1, Math.round((count / most) * width)));

export const renderBars = (counts: ReadonlyMap<string, number>, glyphs: Glyphs): readonly string[] => {
  const entries = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  const most = Math.max(1, ...counts.values());
  const nameWidth = Math.max(0, ...entries.map(([name]) => name.length));
  const countWidth = String(most).length;
  return entries.map(
    ([name, count]) =>
      `  ${name.padEnd(nameWidth)}  ${String(count).padStart(countWidth)}  ${bar(count, most, BAR_WIDTH, glyphs)}`,
  );
};
