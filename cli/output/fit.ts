/** How wide each column of a table may be. */
export const GAP = '  ';

const totalOf = (widths: readonly number[]): number =>
  widths.reduce((sum, one) => sum + one, 0) + GAP.length * Math.max(0, widths.length - 1);

/** The one with the most to give gives first, down to the next one's. Undefined: it does not fit at the least either. */
export const fitted = (
  wanted: readonly number[],
  least: readonly number[],
  width: number,
): readonly number[] | undefined => {
  const widths = [...wanted];
  for (let excess = totalOf(widths) - width; excess > 0; ) {
    const spare = widths.map((one, at) => one - (least[at] ?? 0));
    const most = Math.max(0, ...spare);
    if (most <= 0) return undefined;
    // The rightmost of equals.
    const at = spare.lastIndexOf(most);
    const second = Math.max(0, ...spare.filter((_, other) => other !== at));
    const given = Math.min(excess, Math.max(1, most - second));
    widths[at] = (widths[at] ?? 0) - given;
    excess -= given;
  }
  return widths;
};
