/**
 * kafkajs copies the object of a record's headers once for every header, and decodes the same names anew on every record:
 * of what reading our records costs it that was the greater part. The method replaced here is used for headers alone; the
 * version is pinned, and a test notices when this stops working.
 */
import type Decoder from 'kafkajs/src/protocol/decoder.js';

type Value = Buffer | null;

/** Without a prototype: a foreign writer chooses the names. */
const noHeaders = (): Record<string, Value | Value[]> => Object.create(null) as Record<string, Value | Value[]>; // it has no keys yet

/** As kafkajs gives them: a repeated name holds a list. */
const readHeaders = (decoder: Decoder): Readonly<Record<string, Value | Value[]>> => {
  const headers = noHeaders();
  for (let left = decoder.readVarInt(); left > 0; left -= 1) {
    const name = decoder.readVarIntString() ?? 'null';
    const value = decoder.readVarIntBytes();
    const before = headers[name];
    if (before === undefined) headers[name] = value;
    else headers[name] = Array.isArray(before) ? [...before, value] : [before, value];
  }
  return headers;
};

/** What is put there stands for the list that kafkajs reduces to such an object. */
export const mendHeaders = ({ prototype }: typeof Decoder): void => {
  prototype.readVarIntArray = function (this: Decoder) {
    const headers = readHeaders(this);
    return { reduce: () => headers };
  };
};
