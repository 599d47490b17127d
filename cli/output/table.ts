/**
 * A table without frames that fits the width. What does not fit gives way in this order: texts become the brief ones of
 * their columns, the widest columns are cut, columns that can be spared go, and at last each record is a block of lines.
 */
import type { Screen } from './screen.ts';
import { cut, padded, widthOf, wrapped } from './text-width.ts';

export interface Cell {
  readonly text: string;
  /** What stands there when room is short. */
  readonly brief: string;
}

export interface TableColumn {
  readonly heading: string;
  readonly isNumber: boolean;
  /** Whole or not at all, as an id that is to be copied. */
  readonly isWhole: boolean;
  /** The columns with the greatest number go first; undefined: stays. */
  readonly spared: number | undefined;
}

const GAP = '  ';
/** A cut cell keeps so many columns. */
const LEAST_CELL = 8;

type Part = Pick<Screen, 'width' | 'paint' | 'glyphs'>;

const totalOf = (widths: readonly number[]): number =>
  widths.reduce((sum, one) => sum + one, 0) + GAP.length * Math.max(0, widths.length - 1);

/** Undefined: not even when every wide column is cut to its least. */
const fitted = (wanted: readonly number[], least: readonly number[], width: number): readonly number[] | undefined => {
  const widths = [...wanted];
  for (let excess = totalOf(widths) - width; excess > 0; ) {
    // The one with the most to give; the rightmost of equals.
    const spare = widths.map((one, at) => one - (least[at] ?? 0));
    const most = Math.max(...spare);
    if (most <= 0) return undefined;
    const at = spare.lastIndexOf(most);
    const second = Math.max(0, ...spare.filter((_, other) => other !== at));
    const given = Math.min(excess, Math.max(1, most - second));
    widths[at] = (widths[at] ?? 0) - given;
    excess -= given;
  }
  return widths;
};

const renderRows = (
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  widths: readonly number[],
  { paint, glyphs }: Part,
): readonly string[] => {
  const line = (texts: readonly string[], brush: (text: string) => string): string =>
    columns
      .map(({ isNumber }, at) => {
        const text = cut(texts[at] ?? '', widths[at] ?? 0, glyphs.ellipsis);
        const isLast = at === columns.length - 1;
        return padded(brush(text), isLast && !isNumber ? 0 : (widths[at] ?? 0), isNumber);
      })
      .join(GAP)
      .trimEnd();
  return [
    line(
      columns.map(({ heading }) => heading),
      (text) => (text === '' ? '' : paint.bold(text)),
    ),
    ...rows.map((row) => line(row, (text) => text)),
  ];
};

/** `name  value` a line; a value that is too long for its place goes below its name, whole. */
const renderRecords = (
  columns: readonly TableColumn[],
  rows: readonly (readonly Cell[])[],
  { width, paint }: Part,
): readonly string[] => {
  const nameWidth = Math.max(0, ...columns.map(({ heading }) => widthOf(heading)));
  return rows.flatMap((row, number) => [
    ...(number === 0 ? [] : ['']),
    ...columns.flatMap(({ heading }, at) => {
      const text = row[at]?.text ?? '';
      const name = paint.bold(heading);
      if (nameWidth + GAP.length + widthOf(text) <= width)
        return [`${padded(name, nameWidth, false)}${GAP}${text}`.trimEnd()];
      return [name, ...wrapped(text, width - GAP.length).map((part) => `${GAP}${part}`)];
    }),
  ]);
};

const without = <T>(list: readonly T[], at: number): readonly T[] => list.filter((_, index) => index !== at);

export const renderTable = (
  columns: readonly TableColumn[],
  rows: readonly (readonly Cell[])[],
  screen: Part,
): readonly string[] => {
  const widthsOf = (texts: readonly (readonly string[])[]): readonly number[] =>
    columns.map(({ heading }, at) => Math.max(widthOf(heading), ...texts.map((row) => widthOf(row[at] ?? ''))));
  const whole = rows.map((row) => row.map(({ text }) => text));
  const wholeWidths = widthsOf(whole);
  if (totalOf(wholeWidths) <= screen.width) return renderRows(columns, whole, wholeWidths, screen);

  let [left, texts, wanted] = [
    columns,
    rows.map((row) => row.map(({ brief }) => brief)) as readonly (readonly string[])[],
    [] as readonly number[],
  ];
  wanted = widthsOf(texts);
  for (;;) {
    const widths = fitted(
      wanted,
      wanted.map((one, at) => (left[at]?.isWhole === true ? one : Math.min(one, LEAST_CELL))),
      screen.width,
    );
    if (widths !== undefined) return renderRows(left, texts, widths, screen);
    const ranks = left.map(({ spared }) => spared ?? 0);
    const most = Math.max(...ranks);
    if (most <= 0) return renderRecords(columns, rows, screen);
    const at = ranks.lastIndexOf(most);
    [left, texts, wanted] = [without(left, at), texts.map((row) => without(row, at)), without(wanted, at)];
  }
};
