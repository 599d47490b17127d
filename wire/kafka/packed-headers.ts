/**
 * The headers of a record, which end it, stay bytes until one is asked for; to whoever looks they are the object that
 * kafkajs would have made of them.
 */

type Value = Buffer | null;
type Headers = Readonly<Record<string, Value | Value[]>>;

/** Bytes with the headers of one record in them: their number stands at `at`, and the record ends before `end`. */
export interface HeaderPlace {
  readonly bytes: Buffer;
  readonly at: number;
  readonly end: number;
}

/** Where the walk stands; the numbers of the record format are signed, in groups of seven bits, the lowest first. */
let cursor = 0;

const readNumber = (bytes: Buffer): number => {
  let byte = bytes[cursor] ?? 0;
  cursor += 1;
  let value = byte & 0x7f;
  for (let shift = 7; byte >= 0x80; shift += 7) {
    byte = bytes[cursor] ?? 0;
    cursor += 1;
    value |= (byte & 0x7f) << shift;
  }
  return (value >>> 1) ^ -(value & 1);
};

type Visit = (nameFrom: number, nameTo: number, valueFrom: number, valueTo: number) => void;

/** Each header in order, as places in the record's own bytes; a value that is null ends before it begins. */
const walk = ({ bytes, at, end }: HeaderPlace, visit: Visit): void => {
  cursor = at;
  // A number that is too large ends with the record.
  for (let left = readNumber(bytes); left > 0 && cursor < end; left -= 1) {
    const nameBytes = readNumber(bytes);
    const nameFrom = cursor;
    cursor = Math.min(cursor + Math.max(nameBytes, 0), end);
    const nameTo = cursor;
    const valueBytes = readNumber(bytes);
    const valueFrom = cursor;
    cursor = Math.min(cursor + Math.max(valueBytes, 0), end);
    visit(nameFrom, nameBytes < 0 ? -1 : nameTo, valueFrom, valueBytes < 0 ? -1 : cursor);
  }
};

const valueAt = (bytes: Buffer, from: number, to: number): Value => (to < from ? null : bytes.subarray(from, to));

/** As kafkajs gives them: a repeated name holds a list. */
const joined = (before: Value | Value[] | undefined, value: Value): Value | Value[] => {
  if (before === undefined) return value;
  return Array.isArray(before) ? [...before, value] : [before, value];
};

/** kafkajs calls a name that is null so. */
const NO_NAME = 'null';

const isText = (bytes: Buffer, from: number, to: number, text: string): boolean => {
  if (to - from !== text.length) return false;
  for (let at = 0; at < text.length; at += 1) if (bytes[from + at] !== text.charCodeAt(at)) return false;
  return true;
};

const isNamed = (bytes: Buffer, from: number, to: number, name: string): boolean =>
  to < from ? name === NO_NAME : isText(bytes, from, to, name);

/** Whether there is one header of that name and it is just that text, both ASCII. Nothing is made to tell it. */
export const isHeaderAt = (headers: HeaderPlace, name: string, text: string): boolean => {
  const { bytes } = headers;
  let [times, isSame] = [0, false];
  walk(headers, (nameFrom, nameTo, from, to) => {
    if (!isNamed(bytes, nameFrom, nameTo, name)) return;
    times += 1;
    isSame = isText(bytes, from, to, text);
  });
  return isSame && times === 1;
};

const find = (headers: HeaderPlace, name: string): Value | Value[] | undefined => {
  const { bytes } = headers;
  let found: Value | Value[] | undefined;
  walk(headers, (nameFrom, nameTo, from, to) => {
    if (isNamed(bytes, nameFrom, nameTo, name)) found = joined(found, valueAt(bytes, from, to));
  });
  return found;
};

/** Without a prototype: a foreign writer chooses the names. */
const decode = (headers: HeaderPlace): Headers => {
  const { bytes } = headers;
  const decoded = Object.create(null) as Record<string, Value | Value[]>; // it has no keys yet
  walk(headers, (nameFrom, nameTo, from, to) => {
    const name = nameTo < nameFrom ? NO_NAME : bytes.subarray(nameFrom, nameTo).toString('utf8');
    decoded[name] = joined(decoded[name], valueAt(bytes, from, to));
  });
  return decoded;
};

const IS_ASCII = /^[\x20-\x7e]*$/;

const AS_OBJECT: ProxyHandler<HeaderPlace> = {
  get: (headers, name) => {
    if (typeof name !== 'string') return undefined;
    return IS_ASCII.test(name) ? find(headers, name) : decode(headers)[name];
  },
  has: (headers, name) => Object.hasOwn(decode(headers), name),
  ownKeys: (headers) => Object.keys(decode(headers)),
  getOwnPropertyDescriptor: (headers, name) => {
    const described = Object.getOwnPropertyDescriptor(decode(headers), name);
    return described && { ...described, configurable: true };
  },
  getPrototypeOf: () => null,
};

/** The headers there, as the object that kafkajs would have made of them. */
export const headersAt = (place: HeaderPlace): Headers => new Proxy(place, AS_OBJECT) as unknown as Headers; // to whoever looks
