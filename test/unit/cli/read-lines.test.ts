import { Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readLines } from '../../../cli/read-lines.ts';

/** Each line's text, or `too long`. */
const linesOf = async (pieces: readonly Buffer[], maxBytes = 1_000): Promise<readonly string[]> => {
  const texts: string[] = [];
  for await (const line of readLines(Readable.from([...pieces]), maxBytes)) {
    texts.push(line.fits ? line.bytes.toString('utf8') : 'too long');
  }
  return texts;
};

const bytes = (text: string): Buffer => Buffer.from(text);

describe('the lines of a stream', () => {
  test.each([
    ['', []],
    ['a', ['a']],
    ['a\n', ['a']],
    ['a\nb', ['a', 'b']],
    ['\n', ['']],
    ['\n\na\n\n', ['', '', 'a', '']],
    ['a\r\n', ['a\r']],
    ['\ufeffa\n', ['\ufeffa']],
  ])('%j are %j', async (text, lines) => {
    expect(await linesOf([bytes(text)])).toEqual(lines);
  });

  test('do not depend on where the stream is cut, also within a character of several bytes', async () => {
    const whole = bytes('霧島 ação\n\n{"a":"𝄞"}\nlast');
    const cuts = fc.uniqueArray(fc.nat({ max: whole.length }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(cuts, async (at) => {
        const ends = [0, ...at.sort((a, b) => a - b), whole.length];
        const pieces = ends.slice(1).map((end, index) => whole.subarray(ends[index], end));
        expect(await linesOf(pieces)).toEqual(['霧島 ação', '', '{"a":"𝄞"}', 'last']);
      }),
    );
  });

  test.each([
    ['10 bytes', '0123456789\nx\n', ['0123456789', 'x']],
    ['11 bytes', '01234567890\nx\n', ['too long', 'x']],
    ['10 characters of 11 bytes', 'á123456789\nx\n', ['too long', 'x']],
    ['11 bytes without an end', '01234567890', ['too long']],
  ])('with a limit of 10 bytes and a line of %s', async (_, text, lines) => {
    expect(await linesOf([bytes(text)], 10)).toEqual(lines);
    expect(
      await linesOf(
        [...bytes(text)].map((byte) => Buffer.from([byte])),
        10,
      ),
    ).toEqual(lines);
  });

  test('come one by one, before the next one is there', async () => {
    const stream = new Readable({ read: () => {} });
    const lines = readLines(stream, 1_000);
    stream.push('first\nsec');
    expect(await lines.next()).toEqual({ done: false, value: { fits: true, bytes: bytes('first') } });
    stream.push('ond\n');
    expect(await lines.next()).toEqual({ done: false, value: { fits: true, bytes: bytes('second') } });
    stream.push(null);
    expect(await lines.next()).toEqual({ done: true, value: undefined });
  });
});
