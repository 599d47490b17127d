import { Writable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { type Format, type Listing, print } from '../../../cli/output/format.ts';
import { type ColorWord, paintFor } from '../../../cli/output/paint.ts';
import { createScreen } from '../../../cli/output/screen.ts';
import { renderTable, type TableColumn } from '../../../cli/output/table.ts';
import { widthOf } from '../../../cli/output/text-width.ts';

interface Pair {
  readonly name: string;
  readonly text: string;
}

const listing = (...records: readonly Pair[]): Listing<Pair> => ({
  records,
  columns: [
    { heading: 'name', of: ({ name }) => name },
    { heading: 'text', of: ({ text }) => text },
  ],
  toJson: ({ name, text }) => ({ name, text }),
});

/** A screen in memory, and what was printed on it. */
const aScreen = (columns?: number, ascii = false) => {
  const chunks: Buffer[] = [];
  const stdout = Object.assign(
    new Writable({
      write: (chunk: Buffer | string, _encoding, done) => {
        chunks.push(Buffer.from(chunk));
        done();
      },
    }),
    columns === undefined ? {} : { isTTY: true, columns },
  );
  const io = { stdout, stderr: stdout, stdin: process.stdin, env: {}, stop: new AbortController().signal };
  return { screen: createScreen(io, { color: 'never', ascii }), text: () => Buffer.concat(chunks).toString('utf8') };
};

const printed = async (of: Listing<Pair>, format?: Format): Promise<string> => {
  const { screen, text } = aScreen();
  await print(of, screen, format);
  return text();
};

const NASTY = { name: 'a,b', text: 'she said "no"\nand left' };

describe('a listing', () => {
  test.each<[Format, string]>([
    ['csv', 'name,text\n"a,b","she said ""no""\nand left"\n'],
    ['ndjson', '{"name":"a,b","text":"she said \\"no\\"\\nand left"}\n'],
    ['json', '[\n  {\n    "name": "a,b",\n    "text": "she said \\"no\\"\\nand left"\n  }\n]\n'],
  ])('as %s keeps commas, quotes and line ends apart from its own', async (format, text) => {
    expect(await printed(listing(NASTY), format)).toBe(text);
  });

  test.each<[Format | undefined, string]>([
    [undefined, ''],
    ['tsv', ''],
    ['ndjson', ''],
    ['json', '[]\n'],
    ['csv', 'name,text\n'],
  ])('of nothing as %p is %j', async (format, text) => {
    expect(await printed(listing(), format)).toBe(text);
  });
});

describe('a table', () => {
  const column = (heading: string, more: Partial<TableColumn> = {}): TableColumn => ({
    heading,
    isNumber: false,
    isWhole: false,
    spared: undefined,
    cells: [],
    ...more,
  });
  const rendered = (
    columns: readonly TableColumn[],
    rows: readonly (readonly string[])[],
    width: number,
    { brief = (text: string) => text, ascii = false } = {},
  ): readonly string[] =>
    renderTable(
      columns.map((one, at) => ({
        ...one,
        cells: rows.map((row) => ({ text: row[at] ?? '', brief: brief(row[at] ?? ''), brush: (text: string) => text })),
      })),
      aScreen(width, ascii).screen,
    );

  test('that fits is not cut, nor brief', () => {
    expect(rendered([column('a')], [['whole']], 200, { brief: () => 'w' })).toEqual(['a', 'whole']);
  });

  test('is brief before it is cut', () => {
    const rows = [['x'.repeat(30), 'y'.repeat(30)]];
    expect(rendered([column('a'), column('b')], rows, 40, { brief: (text) => text.slice(0, 10) })).toEqual([
      'a           b',
      'xxxxxxxxxx  yyyyyyyyyy',
    ]);
  });

  test('cuts the widest column first and leaves the others whole', () => {
    expect(
      rendered(
        [column('id'), column('text')],
        [
          ['1', 'a'.repeat(100)],
          ['22', 'short'],
        ],
        40,
      ),
    ).toEqual(['id  text', `1   ${'a'.repeat(35)}…`, '22  short']);
  });

  test('gives up the columns that can be spared, the greatest number first, before it falls apart', () => {
    const columns = [column('kept'), column('first', { spared: 2 }), column('next', { spared: 1 }), column('last')];
    const row = [20, 21, 22, 23].map((length) => 'x'.repeat(length));
    const headings = (width: number): string => rendered(columns, [row], width)[0] ?? '';
    expect(headings(100).split(/ +/)).toEqual(['kept', 'first', 'next', 'last']);
    expect(headings(40).split(/ +/)).toEqual(['kept', 'first', 'next', 'last']);
    const wide = [...columns, column('more')];
    expect((rendered(wide, [[...row, 'x'.repeat(30)]], 40)[0] ?? '').split(/ +/)).toEqual([
      'kept',
      'next',
      'last',
      'more',
    ]);
  });

  test('with more columns than the width can hold is a block of lines a record, and loses nothing', () => {
    const columns = ['a', 'b', 'c', 'd', 'e'].map((heading) => column(heading));
    const long = 'x'.repeat(50);
    expect(
      rendered(
        columns,
        [
          ['1'.repeat(9), '2'.repeat(9), '3'.repeat(9), '4'.repeat(9), long],
          ['', '2', '3', '4', '5'],
        ],
        40,
      ),
    ).toEqual([
      'a  111111111',
      'b  222222222',
      'c  333333333',
      'd  444444444',
      'e',
      `  ${'x'.repeat(38)}`,
      `  ${'x'.repeat(12)}`,
      '',
      'a',
      'b  2',
      'c  3',
      'd  4',
      'e  5',
    ]);
  });

  test('never cuts a column that is of use only whole', () => {
    const columns = [column('text'), column('id', { isWhole: true, spared: 1 })];
    expect(rendered(columns, [['x'.repeat(30), 'y'.repeat(20)]], 40)[1]).toBe(`${'x'.repeat(17)}…  ${'y'.repeat(20)}`);
    expect(rendered(columns, [['x'.repeat(30), 'y'.repeat(36)]], 40)).toEqual(['text', 'x'.repeat(30)]);
  });

  test('stands numbers to the right', () => {
    expect(
      rendered(
        [column('n', { isNumber: true }), column('of')],
        [
          ['1', 'a'],
          ['100', 'b'],
        ],
        40,
      ),
    ).toEqual(['  n  of', '  1  a', '100  b']);
  });

  test('counts the columns that characters take, and cuts between them', () => {
    const lines = rendered([column('name'), column('next')], [['霧島'.repeat(20), 'ação']], 40);
    expect(lines[1]).toMatch(/^(?:霧島){8}霧?… +ação$/u);
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(40);
    expect(widthOf('é')).toBe(1);
  });

  test('cuts with ASCII when that is asked for', () => {
    expect(rendered([column('a')], [['x'.repeat(50)]], 40, { ascii: true })[1]).toBe(`${'x'.repeat(39)}~`);
  });
});

describe('colour', () => {
  type Where = Readonly<{ isTTY?: boolean; env?: Readonly<Record<string, string>>; color?: ColorWord }>;
  const isColoured = ({ isTTY = true, env = {}, color = 'auto' }: Where): boolean => {
    const stdout = Object.assign(new Writable(), { isTTY });
    const io = { stdout, stderr: stdout, stdin: process.stdin, env, stop: new AbortController().signal };
    return paintFor(color, io).bold('x') !== 'x';
  };

  test.each<[Where, boolean]>([
    [{}, true],
    [{ isTTY: false }, false],
    [{ env: { NO_COLOR: '1' } }, false],
    // An empty one is as good as none (no-color.org).
    [{ env: { NO_COLOR: '' } }, true],
    [{ env: { TERM: 'dumb' } }, false],
    [{ env: { TERM: 'xterm' } }, true],
    [{ color: 'never' }, false],
    [{ color: 'always', isTTY: false }, true],
    [{ color: 'always', env: { NO_COLOR: '1', TERM: 'dumb' } }, true],
  ])('with %j is %p', (where, expected) => {
    expect(isColoured(where)).toBe(expected);
  });

  test('paints nothing around nothing', () => {
    const stdout = Object.assign(new Writable(), { isTTY: true });
    const io = { stdout, stderr: stdout, stdin: process.stdin, env: {}, stop: new AbortController().signal };
    expect(paintFor('always', io).red('')).toBe('');
  });
});
