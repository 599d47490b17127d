/**
 * kafkajs decodes every header of every record, and copies the object of them once per header: of what reading our records
 * costs it that was the greater part, in time and in memory, while a consumer asks for one or two of them. Here they stay
 * bytes until they are asked for; to whoever looks they are the object they were. The method replaced is used for headers
 * alone, which end a record; the version is pinned, and a test notices when this stops working.
 */
import type Decoder from 'kafkajs/src/protocol/decoder.js';

type Value = Buffer | null;
type Headers = Readonly<Record<string, Value | Value[]>>;

/** The record's own decoder, and where in it the headers begin. */
interface Undecoded {
  readonly decoder: Decoder;
  readonly start: number;
}

const NO_NAME = Buffer.from('null');

/** Each header in order, its name as bytes. */
const walk = ({ decoder, start }: Undecoded, visit: (name: Buffer, value: Value) => void): void => {
  decoder.offset = start;
  for (let left = decoder.readVarInt(); left > 0; left -= 1) {
    visit(decoder.readVarIntBytes() ?? NO_NAME, decoder.readVarIntBytes());
  }
};

/** As kafkajs gives them: a repeated name holds a list. */
const joined = (before: Value | Value[] | undefined, value: Value): Value | Value[] => {
  if (before === undefined) return value;
  return Array.isArray(before) ? [...before, value] : [before, value];
};

const isNamed = (bytes: Buffer, name: string): boolean => {
  if (bytes.length !== name.length) return false;
  for (let at = 0; at < name.length; at += 1) if (bytes[at] !== name.charCodeAt(at)) return false;
  return true;
};

const find = (headers: Undecoded, name: string): Value | Value[] | undefined => {
  let found: Value | Value[] | undefined;
  walk(headers, (bytes, value) => {
    if (isNamed(bytes, name)) found = joined(found, value);
  });
  return found;
};

/** Without a prototype: a foreign writer chooses the names. */
const decode = (headers: Undecoded): Headers => {
  const decoded = Object.create(null) as Record<string, Value | Value[]>; // it has no keys yet
  walk(headers, (bytes, value) => {
    const name = bytes.toString('utf8');
    decoded[name] = joined(decoded[name], value);
  });
  return decoded;
};

const IS_ASCII = /^[\x20-\x7e]*$/;

const AS_OBJECT: ProxyHandler<Undecoded> = {
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

/** What is put there stands for the list that kafkajs reduces to such an object. */
export const mendHeaders = ({ prototype }: typeof Decoder): void => {
  prototype.readVarIntArray = function (this: Decoder) {
    const headers = new Proxy({ decoder: this, start: this.offset }, AS_OBJECT);
    return { reduce: () => headers };
  };
};
