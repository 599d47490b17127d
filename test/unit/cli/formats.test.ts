import { Writable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { type Format, type Listing, print } from '../../../cli/output/format.ts';
import { renderTable } from '../../../cli/output/table.ts';

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

const printed = async (of: Listing<Pair>, format?: Format): Promise<string> => {
  const chunks: Buffer[] = [];
  const stdout = new Writable({
    write: (chunk: Buffer | string, _encoding, done) => {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  const io = { stdout, stderr: stdout, stdin: process.stdin, env: {}, stop: new AbortController().signal };
  await print(of, io, format);
  return Buffer.concat(chunks).toString('utf8');
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
  const plain = (text: string): string => text;

  test('cuts the widest column first and leaves the others whole', () => {
    const table = renderTable(
      ['id', 'text'],
      [
        ['1', 'a'.repeat(100)],
        ['22', 'short'],
      ],
      40,
      plain,
    );
    expect(table.split('\n')).toEqual([
      expect.stringMatching(/^id +text$/),
      expect.stringMatching(/^1 +a{20,}…$/),
      expect.stringMatching(/^22 +short$/),
    ]);
    expect(Math.max(...table.split('\n').map((line) => line.length))).toBeLessThanOrEqual(40);
  });

  test('that fits is not cut', () => {
    expect(renderTable(['a'], [['whole']], 200, plain)).toBe('a\nwhole');
  });
});
