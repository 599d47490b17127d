import Table from 'cli-table3';
import type { Paint } from './paint.ts';

const THIN = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

/** A table without frames that fits the width: the widest column gives way first, its cells cut with an ellipsis. */
export const renderTable = (
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
  paint: Paint,
): string => {
  const widths = headings.map((heading, index) =>
    Math.max(heading.length, ...rows.map((row) => row[index]?.length ?? 0)),
  );
  const gaps = 2 * (headings.length - 1);
  let excess = widths.reduce((sum, one) => sum + one, 0) + gaps - width;
  while (excess > 0) {
    const widest = widths.indexOf(Math.max(...widths));
    const current = widths[widest] ?? 0;
    if (current <= 8) break;
    const cut = Math.min(excess, Math.max(1, current - 8));
    widths[widest] = current - cut;
    excess -= cut;
  }
  const table = new Table({
    chars: THIN,
    colWidths: widths,
    head: headings.map(paint),
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
  });
  for (const row of rows) table.push([...row]);
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
};
