/** How data leaves: a terminal gets a table, a pipe gets tab-separated lines, `-o` decides otherwise. */
import type { Option } from 'commander';
import { wordOption } from '../lists.ts';
import type { BrushName } from './paint.ts';
import type { Screen } from './screen.ts';

export const FORMATS = ['table', 'tsv', 'ndjson', 'json', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

export const formatOption = (): Option => wordOption('-o, --output <format>', 'output format', FORMATS);

/** One column of the human forms: its heading and how a record fills it. */
export interface Column<R> {
  readonly heading: string;
  readonly of: (record: R) => string;
  /** In a table that would not fit: a shorter text that still tells. */
  readonly brief?: (record: R) => string;
  /** Its colour, for what the text says too. */
  readonly brush?: (record: R) => BrushName;
  /** Stands to the right. */
  readonly isNumber?: boolean;
  /** Never cut: whole, spared, or a record becomes a block of lines. */
  readonly isWhole?: boolean;
  /** In a table that still does not fit it can be spared, the greatest number first. */
  readonly spared?: number;
}

/** What a listing is made of, but for its records. */
export interface Shape<R> {
  readonly columns: readonly Column<R>[];
  /** The machine form: its keys are an interface, changes are additive. */
  readonly toJson: (record: R) => Readonly<Record<string, unknown>>;
}

export interface Listing<R> extends Shape<R> {
  readonly records: readonly R[];
}

const csvCell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const tableOf = async <R>({ columns }: Shape<R>, records: readonly R[], screen: Screen): Promise<readonly string[]> => {
  const { renderTable } = await import('./table.ts');
  return renderTable(
    columns.map(({ heading, of, brief = of, brush, isNumber = false, isWhole = false, spared }) => ({
      heading,
      isNumber,
      isWhole,
      spared,
      cells: records.map((record) => ({
        text: of(record),
        brief: brief(record),
        brush: screen.paint[brush?.(record) ?? 'none'],
      })),
    })),
    screen,
  );
};

type Parts<R> = AsyncIterable<readonly R[]> | Iterable<readonly R[]>;

/** As `JSON.stringify` writes the whole list: only the last record has no comma behind it. */
async function* jsonLines<R>({ toJson }: Shape<R>, parts: Parts<R>): AsyncGenerator<readonly string[]> {
  let held: string | undefined;
  for await (const records of parts) {
    const lines: string[] = [];
    for (const record of records) {
      lines.push(held === undefined ? '[' : `${held},`);
      held = JSON.stringify(toJson(record), null, 2).replaceAll(/^/gm, '  ');
    }
    yield lines;
  }
  yield held === undefined ? ['[]'] : [held, ']'];
}

/** A part's lines as soon as it is there; a table must have seen every record to know its widths. */
async function* linesInParts<R>(
  shape: Shape<R>,
  parts: Parts<R>,
  format: Format,
  screen: Screen,
): AsyncGenerator<readonly string[]> {
  const { columns, toJson } = shape;
  const cells = (record: R): readonly string[] => columns.map((column) => column.of(record));
  switch (format) {
    case 'table':
      yield await tableOf(shape, (await Array.fromAsync(parts)).flat(), screen);
      return;
    case 'tsv':
      for await (const records of parts) yield records.map((record) => cells(record).join('\t'));
      return;
    case 'csv':
      yield [columns.map(({ heading }) => csvCell(heading)).join(',')];
      for await (const records of parts) yield records.map((record) => cells(record).map(csvCell).join(','));
      return;
    case 'ndjson':
      for await (const records of parts) yield records.map((record) => JSON.stringify(toJson(record)));
      return;
    case 'json':
      yield* jsonLines(shape, parts);
      return;
    default:
      format satisfies never;
  }
}

/** The lines of a listing in a form; also for one record after another, as `tail` has them. */
export const linesOf = async <R>(listing: Listing<R>, format: Format, screen: Screen): Promise<readonly string[]> =>
  (await Array.fromAsync(linesInParts(listing, [listing.records], format, screen))).flat();

/** What `-o` says, else by where the data goes. */
export const formatFor = (asked: Format | undefined, screen: Screen): Format =>
  asked ?? (screen.isTerminal ? 'table' : 'tsv');

/** A listing of any length. */
export const printParts = async <R>(
  shape: Shape<R>,
  parts: Parts<R>,
  screen: Screen,
  asked: Format | undefined,
): Promise<void> => {
  for await (const lines of linesInParts(shape, parts, formatFor(asked, screen), screen)) {
    if (lines.length > 0) await screen.print(lines.join('\n'));
  }
};

export const print = <R>(listing: Listing<R>, screen: Screen, asked: Format | undefined): Promise<void> =>
  printParts(listing, [listing.records], screen, asked);
