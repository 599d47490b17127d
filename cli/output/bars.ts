/** Counts as bars, the greatest first, ties by name. */
const BAR_WIDTH = 30;

export const countBy = <R>(records: readonly R[], key: (record: R) => string): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const record of records) counts.set(key(record), (counts.get(key(record)) ?? 0) + 1);
  return counts;
};

export const renderBars = (counts: ReadonlyMap<string, number>): readonly string[] => {
  const entries = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  const most = Math.max(1, ...counts.values());
  const nameWidth = Math.max(0, ...entries.map(([name]) => name.length));
  const countWidth = String(most).length;
  return entries.map(([name, count]) => {
    const bar = '█'.repeat(Math.max(1, Math.round((count / most) * BAR_WIDTH)));
    return `  ${name.padEnd(nameWidth)}  ${String(count).padStart(countWidth)}  ${bar}`;
  });
};
