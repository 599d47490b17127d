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

export interface Listing<R> {
  readonly records: readonly R[];
  readonly columns: readonly Column<R>[];
  /** The machine form: its keys are an interface, changes are additive. */
  readonly toJson: (record: R) => Readonly<Record<string, unknown>>;
}

const csvCell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const tableOf = async <R>({ records, columns }: Listing<R>, screen: Screen): Promise<readonly string[]> => {
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

/** The lines of a listing in a form; also for one record after another, as `tail` has them. */
export const linesOf = async <R>(listing: Listing<R>, format: Format, screen: Screen): Promise<readonly string[]> => {
  const { records, columns, toJson } = listing;
  const cells = (record: R): readonly string[] => columns.map((column) => column.of(record));
  switch (format) {
    case 'table':
      return tableOf(listing, screen);
    case 'tsv':
      return records.map((record) => cells(record).join('\t'));
    case 'csv':
      return [columns.map(({ heading }) => heading), ...records.map(cells)].map((row) => row.map(csvCell).join(','));
    case 'ndjson':
      return records.map((record) => JSON.stringify(toJson(record)));
    case 'json':
      return [JSON.stringify(records.map(toJson), null, 2)];
    default:
      return format satisfies never;
  }
};

/** What `-o` says, else by where the data goes. */
export const formatFor = (asked: Format | undefined, screen: Screen): Format =>
  asked ?? (screen.isTerminal ? 'table' : 'tsv');

export const print = async <R>(listing: Listing<R>, screen: Screen, asked: Format | undefined): Promise<void> => {
  for (const line of await linesOf(listing, formatFor(asked, screen), screen)) await screen.print(line);
};
