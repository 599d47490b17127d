import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createMarkSearch, findMark, formsOf } from '../support/canary.ts';
import { reachableText } from '../support/canary-reach.ts';

const core = fc.stringMatching(/^[1-9][0-9]{11}$/);
const padding = fc.string({ unit: 'grapheme', maxLength: 9 });

const varint = (value: bigint): Buffer => {
  const bytes: number[] = [];
  let rest = value * 2n;
  while (rest > 127n) {
    bytes.push(Number(rest % 128n) + 128);
    rest /= 128n;
  }
  return Buffer.from([...bytes, Number(rest)]);
};

const double = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(value);
  return bytes;
};

/** Each dress made without the code under test, around the mark and whatever stands beside it. */
const DRESSES: Readonly<Record<string, (mark: string, before: string, after: string) => string | Buffer>> = {
  'a text': (mark, before, after) => before + mark + after,
  'UTF-8': (mark, before, after) => Buffer.from(before + mark + after),
  'UTF-16, little endian': (mark, before, after) => Buffer.from(before + mark + after, 'utf16le'),
  'UTF-16, big endian': (mark, before, after) => Buffer.from(before + mark + after, 'utf16le').swap16(),
  hex: (mark, before, after) => Buffer.from(before + mark + after).toString('hex'),
  'upper-case hex': (mark, before, after) =>
    Buffer.from(before + mark + after)
      .toString('hex')
      .toUpperCase(),
  'base64, whatever stands before': (mark, before, after) => Buffer.from(before + mark + after).toString('base64'),
  base64url: (mark, before, after) => Buffer.from(before + mark + after).toString('base64url'),
  'base64 of UTF-16': (mark, before, after) => Buffer.from(before + mark + after, 'utf16le').toString('base64'),
  JSON: (mark, before, after) => JSON.stringify({ [before]: before + mark + after }),
  'JSON, every character escaped': (mark) => mark.replace(/./g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`),
  'JSON of a Buffer': (mark, before, after) => JSON.stringify({ x: Buffer.from(before + mark + after) }),
  'a URL': (mark, before, after) => encodeURIComponent((before + mark + after).toWellFormed()),
  'a URL, every character escaped': (mark) => mark.replace(/./g, (one) => `%${one.charCodeAt(0).toString(16)}`),
  'a number in Avro': (mark) => Buffer.concat([Buffer.from('x'), varint(BigInt(mark)), Buffer.from('y')]),
  'a number of eight bytes': (mark) => double(BigInt(mark)),
  'the bytes of a UUID': (mark) => Buffer.from(`0123456789abcdef0123${mark}`, 'hex'),
};

describe('a mark is found', () => {
  test.each(Object.keys(DRESSES))('in %s', (name) => {
    fc.assert(
      fc.property(core, padding, padding, (mark, before, after) => {
        const dressed = DRESSES[name]?.(mark, before, after) ?? '';
        expect(findMark(formsOf(mark), dressed)).toBeDefined();
        expect(createMarkSearch(['999999999999', mark])(dressed).map((found) => found.core)).toContain(mark);
      }),
    );
  });

  test('not where another one is', () => {
    fc.assert(
      fc.property(core, core, padding, (mark, other, before) => {
        fc.pre(mark !== other);
        for (const dress of Object.values(DRESSES)) {
          expect(findMark(formsOf(mark), dress(other, before, ''))).toBeUndefined();
          expect(createMarkSearch([mark])(dress(other, before, ''))).toEqual([]);
        }
      }),
    );
  });
});

describe('what can be reached in a value', () => {
  const secret = 'segredo';
  class Own {
    readonly word = secret;
  }
  const REACHED: Readonly<Record<string, () => unknown>> = {
    'a key': () => ({ [secret]: 1 }),
    'a nested value': () => [[{ a: [secret] }]],
    'a symbol': () => ({ [Symbol(secret)]: 1 }),
    'a hidden property': () => Object.defineProperty({}, 'x', { value: secret }),
    'a getter': () => ({
      get x() {
        return secret;
      },
    }),
    'a getter that throws': () => ({
      get x() {
        throw new Error(secret);
      },
    }),
    'a toJSON': () => ({ toJSON: () => ({ x: secret }) }),
    'a prototype': () => Object.create({ x: secret }),
    'an object of a class': () => new Own(),
    'a map and a set': () => new Map([[1, new Set([secret])]]),
    bytes: () => ({ x: Buffer.from(secret) }),
    'a promise': () => ({ x: () => Promise.resolve([secret]) }),
    'an error': () => new Error('x', { cause: { y: secret } }),
    'a proxy that bites': () =>
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error(secret);
          },
        },
      ),
  };

  test.each(Object.keys(REACHED))('includes %s', async (name) => {
    expect(await reachableText(REACHED[name]?.())).toContain(secret);
  });
});
