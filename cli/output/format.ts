/** How data leaves: a terminal gets a table, a pipe gets tab-separated lines, `-o` decides otherwise. */
import { Option } from 'commander';
import { type Io, writeLine } from '../io.ts';
import { headingPaint } from './paint.ts';
import { renderTable } from './table.ts';

export const FORMATS = ['table', 'tsv', 'ndjson', 'json', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

export const formatOption = (): Option => new Option('-o, --output <format>', 'output format').choices(FORMATS);

/** One column of the human forms: its heading and how a record fills it. */
export interface Column<R> {
  readonly heading: string;
  readonly of: (record: R) => string;
}

export interface Listing<R> {
  readonly records: readonly R[];
  readonly columns: readonly Column<R>[];
  /** The machine form: its keys are an interface, changes are additive. */
  readonly toJson: (record: R) => Readonly<Record<string, unknown>>;
}

const DEFAULT_WIDTH = 120;

const csvCell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const linesOf = <R>({ records, columns, toJson }: Listing<R>, format: Format, io: Io): readonly string[] => {
  const cells = (record: R): readonly string[] => columns.map((column) => column.of(record));
  const headings = columns.map((column) => column.heading);
  switch (format) {
    case 'table':
      return [renderTable(headings, records.map(cells), io.stdout.columns ?? DEFAULT_WIDTH, headingPaint(io))];
    case 'tsv':
      return records.map((record) => cells(record).join('\t'));
    case 'csv':
      return [headings, ...records.map(cells)].map((row) => row.map(csvCell).join(','));
    case 'ndjson':
      return records.map((record) => JSON.stringify(toJson(record)));
    case 'json':
      return [JSON.stringify(records.map(toJson), null, 2)];
    default:
      return format satisfies never;
  }
};

export const print = async <R>(listing: Listing<R>, io: Io, asked: Format | undefined): Promise<void> => {
  const format = asked ?? (io.stdout.isTTY ? 'table' : 'tsv');
  for (const line of linesOf(listing, format, io)) await writeLine(io.stdout, line);
};
