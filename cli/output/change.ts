/** How a count stands to the one before it. The sign says it, a colour may repeat it. */
import type { Glyphs } from './glyphs.ts';
import type { BrushName } from './paint.ts';

export const changeText = (count: number, before: number | undefined, { up, down, same }: Glyphs): string => {
  if (before === undefined) return '-';
  if (count === before) return same;
  if (before === 0) return `${up} new`;
  const percent = Math.round((Math.abs(count - before) / before) * 100);
  return `${count > before ? up : down} ${percent}%`;
};

/** More deviations are no good news. */
export const changeBrush = (count: number, before: number | undefined): BrushName => {
  if (before === undefined || count === before) return 'none';
  return count > before ? 'red' : 'green';
};
