/**
 * A table without frames that fits the width. What does not fit gives way in this order: texts become the brief ones of
 * their columns, the widest columns are cut, columns that can be spared go, and at last each record is a block of lines.
 */
import { fitted, GAP } from './fit.ts';
import type { Brush } from './paint.ts';
import type { Screen } from './screen.ts';
import { cut, padded, widthOf, wrappedWords } from './text-width.ts';

export interface Cell {
  readonly text: string;
  /** What stands there when room is short. */
  readonly brief: string;
  /** Its colour, which says nothing that the text does not say. */
  readonly brush: Brush;
}

export interface TableColumn {
  readonly heading: string;
  readonly isNumber: boolean;
  /** Whole or not at all, as an id that is to be copied. */
  readonly isWhole: boolean;
  /** The columns with the greatest number go first; undefined: stays. */
  readonly spared: number | undefined;
  /** One a record. */
  readonly cells: readonly Cell[];
}

/** A cut cell keeps so many columns. */
const LEAST_CELL = 8;

type Part = Pick<Screen, 'width' | 'paint' | 'glyphs'>;
type Choice = 'text' | 'brief';

const wantedBy =
  (choice: Choice) =>
  ({ heading, cells }: TableColumn): number =>
    cells.reduce((most, cell) => Math.max(most, widthOf(cell[choice])), widthOf(heading));

const renderRows = (
  columns: readonly TableColumn[],
  widths: readonly number[],
  choice: Choice,
  { paint, glyphs }: Part,
): readonly string[] => {
  const line = (cellOf: (column: TableColumn) => { readonly text: string; readonly brush: Brush }): string =>
    columns
      .map((column, at) => {
        const width = widths[at] ?? 0;
        const { text, brush } = cellOf(column);
        return padded(brush(cut(text, width, glyphs.ellipsis)), width, column.isNumber);
      })
      .join(GAP)
      .trimEnd();
  const count = columns[0]?.cells.length ?? 0;
  return [
    line(({ heading }) => ({ text: heading, brush: paint.bold })),
    ...Array.from({ length: count }, (_, row) =>
      line(({ cells }) => {
        const cell = cells[row];
        return cell === undefined ? { text: '', brush: paint.bold } : { text: cell[choice], brush: cell.brush };
      }),
    ),
  ];
};

/** `name  value` a line; a value that is too long for its place goes below its name, whole. */
const renderBlocks = (columns: readonly TableColumn[], { width, paint }: Part): readonly string[] => {
  const nameWidth = Math.max(0, ...columns.map(({ heading }) => widthOf(heading)));
  const count = columns[0]?.cells.length ?? 0;
  const block = (row: number): readonly string[] =>
    columns.flatMap(({ heading, cells }) => {
      const { text, brush } = cells[row] ?? { text: '', brush: paint.bold };
      const name = paint.bold(heading);
      if (nameWidth + GAP.length + widthOf(text) <= width) {
        return [`${padded(name, nameWidth, false)}${GAP}${brush(text)}`.trimEnd()];
      }
      return [name, ...wrappedWords(text, width - GAP.length).map((part) => `${GAP}${brush(part)}`)];
    });
  return Array.from({ length: count }, (_, row) => [...(row === 0 ? [] : ['']), ...block(row)]).flat();
};

/** Names and values of one thing. */
export const renderFields = (
  fields: readonly { readonly name: string; readonly value: string }[],
  screen: Part,
): readonly string[] =>
  renderBlocks(
    fields.map(({ name, value }) => ({
      heading: name,
      isNumber: false,
      isWhole: true,
      spared: undefined,
      cells: [{ text: value, brief: value, brush: screen.paint.none }],
    })),
    screen,
  );

export const renderTable = (columns: readonly TableColumn[], screen: Part): readonly string[] => {
  const whole = columns.map(wantedBy('text'));
  const asTheyAre = fitted(whole, whole, screen.width);
  if (asTheyAre !== undefined) return renderRows(columns, asTheyAre, 'text', screen);

  for (let left = columns; left.length > 0; ) {
    const wanted = left.map(wantedBy('brief'));
    const least = wanted.map((one, at) => (left[at]?.isWhole === true ? one : Math.min(one, LEAST_CELL)));
    const widths = fitted(wanted, least, screen.width);
    if (widths !== undefined) return renderRows(left, widths, 'brief', screen);
    const ranks = left.map(({ spared }) => spared ?? 0);
    const most = Math.max(...ranks);
    if (most <= 0) break;
    const gone = ranks.lastIndexOf(most);
    left = left.filter((_, at) => at !== gone);
  }
  return renderBlocks(columns, screen);
};
