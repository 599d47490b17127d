/**
 * A canary: a random mark that stands where a person's words could stand, and the search that finds it again however it
 * was dressed. A mark's core is twelve digits, because digits fit everywhere: into a text, a slug, the last group of a
 * UUID, the fraction of a second, a number. What surrounds the core differs from place to place.
 */
import { Buffer } from 'node:buffer';

export const CORE_DIGITS = 12;

const latin1 = (bytes: Buffer): string => bytes.toString('latin1');

/** The characters of base64 that these bytes alone decide, at each of the three places within a group of three bytes. */
const base64Of = (bytes: Buffer): readonly string[] =>
  [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });

/** Zig-zag and base 128, as Avro writes a long. */
const varint = (value: bigint): Buffer => {
  const bytes: number[] = [];
  for (let rest = value << 1n; ; rest >>= 7n) {
    if (rest < 0x80n) return Buffer.from([...bytes, Number(rest)]);
    bytes.push(Number(rest & 0x7fn) | 0x80);
  }
};

const int64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(value);
  return bytes;
};

export interface Form {
  readonly name: string;
  /** As bytes, one character each. */
  readonly bytes: string;
}

/**
 * Every dress of a core that the search knows. Digits stay themselves in JSON, in a URL and in either case of letters;
 * there only the forms that escape each character differ from the plain one. Base64 and base64url differ in two
 * characters, which no group with a digit in it produces (`canary.test.ts` holds that).
 */
export const formsOf = (core: string): readonly Form[] => {
  const utf8 = Buffer.from(core, 'utf8');
  // From the first digit's byte to the last one's, little and big endian are the same bytes.
  const utf16 = Buffer.from(core, 'utf16le').subarray(0, -1);
  const number = BigInt(core);
  const wide = int64(number);
  return [
    { name: 'plain', bytes: core },
    { name: 'UTF-16', bytes: latin1(utf16) },
    { name: 'hex', bytes: utf8.toString('hex') },
    { name: 'hex of UTF-16', bytes: utf16.toString('hex') },
    ...base64Of(utf8).map((bytes, at) => ({ name: `base64 at ${at}`, bytes })),
    ...base64Of(utf16).map((bytes, at) => ({ name: `base64 of UTF-16 at ${at}`, bytes })),
    // As JSON writes a Buffer.
    { name: 'bytes in decimal', bytes: [...utf8].join(',') },
    { name: 'URL-escaped', bytes: core.replace(/./g, '%3$&') },
    { name: 'JSON-escaped', bytes: core.replace(/./g, '\\u003$&') },
    { name: 'bytes of a UUID', bytes: latin1(Buffer.from(core, 'hex')) },
    { name: 'long of Avro', bytes: latin1(varint(number)) },
    { name: 'number, big endian', bytes: latin1(wide) },
    { name: 'number, little endian', bytes: latin1(Buffer.from(wide).reverse()) },
  ];
};

/** A text is searched as it is, bytes as one character each. */
export type Haystack = string | Uint8Array;

const asText = (haystack: Haystack): string =>
  typeof haystack === 'string'
    ? haystack
    : latin1(Buffer.from(haystack.buffer, haystack.byteOffset, haystack.byteLength));

/** The name of the first form in which the mark is there, or undefined. */
export const findMark = (forms: readonly Form[], haystack: Haystack): string | undefined => {
  const text = asText(haystack);
  return forms.find(({ bytes }) => text.includes(bytes))?.name;
};

export interface Found {
  readonly core: string;
  readonly form: string;
  /** Where in the haystack. */
  readonly at: number;
}

/** As long as the shortest form. */
const KEY_LENGTH = 6;

/** The same search for many marks at once, in one walk over the haystack. */
export const createMarkSearch = (cores: Iterable<string>): ((haystack: Haystack) => readonly Found[]) => {
  const byKey = new Map<string, { readonly core: string; readonly form: Form }[]>();
  for (const core of cores) {
    for (const form of formsOf(core)) {
      const key = form.bytes.slice(0, KEY_LENGTH);
      const same = byKey.get(key);
      if (same === undefined) byKey.set(key, [{ core, form }]);
      else same.push({ core, form });
    }
  }
  return (haystack) => {
    const text = asText(haystack);
    const found: Found[] = [];
    for (let at = 0; at + KEY_LENGTH <= text.length; at += 1) {
      const candidates = byKey.get(text.slice(at, at + KEY_LENGTH));
      for (const { core, form } of candidates ?? []) {
        if (text.startsWith(form.bytes, at)) found.push({ core, form: form.name, at });
      }
    }
    return found;
  };
};
