import { createRequire } from 'node:module';
import { expect, jest, test } from '@jest/globals';
import Decoder from 'kafkajs/src/protocol/decoder.js';
import { theKafkajs } from '../../../wire/kafka/kafkajs.ts';

const require = createRequire(import.meta.url);
theKafkajs();

type Headers = Record<string, Buffer | string | null | (Buffer | string)[]>;

const encodeRecord = require('kafkajs/src/protocol/recordBatch/record/v0/index.js') as (record: {
  readonly offsetDelta: number;
  readonly timestampDelta: number;
  readonly key: string;
  readonly value: string;
  readonly headers: Headers;
}) => { readonly buffer: Buffer };

const decodeRecord = require('kafkajs/src/protocol/recordBatch/record/v0/decoder.js') as (
  decoder: Decoder,
  context: { readonly firstOffset: string; readonly firstTimestamp: string },
) => { readonly key: Buffer; readonly value: Buffer; readonly headers: Readonly<Record<string, unknown>> };

/** As kafkajs writes it and reads it back. */
const readBack = (headers: Headers) => {
  const { buffer } = encodeRecord({ offsetDelta: 0, timestampDelta: 0, key: 'k', value: 'v', headers });
  const decoder = new Decoder(buffer);
  const record = new Decoder(decoder.readVarIntBytes() ?? Buffer.alloc(0));
  return decodeRecord(record, { firstOffset: '0', firstTimestamp: '0' });
};

test('kafkajs still reads its headers by the replaced method, and what stands around them stays', () => {
  const reading = jest.spyOn(Decoder.prototype, 'readVarIntArray');
  try {
    const { key, value, headers } = readBack({ ce_type: 'a', ce_tipo: 'laco' });
    expect(reading).toHaveBeenCalledTimes(1);
    expect([String(key), String(value)]).toEqual(['k', 'v']);
    expect({ ...headers }).toEqual({ ce_type: Buffer.from('a'), ce_tipo: Buffer.from('laco') });
  } finally {
    reading.mockRestore();
  }
});

test('a repeated header is a list, in order', () => {
  expect({ ...readBack({ a: ['1', '2', '3'], b: '4' }).headers }).toEqual({
    a: [Buffer.from('1'), Buffer.from('2'), Buffer.from('3')],
    b: Buffer.from('4'),
  });
});

test('no name that a foreign writer chooses reaches the prototype', () => {
  const { headers } = readBack(JSON.parse('{"__proto__": "x", "constructor": "y"}') as Headers);
  expect(Object.keys(headers)).toEqual(['__proto__', 'constructor']);
  expect(Object.getPrototypeOf(headers)).toBeNull();
});

test('one header is found without the others, absent or foreign in its letters too', () => {
  const { headers } = readBack({ a: 'x', traceparent: ['1', '2'], é: 'y' });
  expect(headers.a).toEqual(Buffer.from('x'));
  expect(headers.traceparent).toEqual([Buffer.from('1'), Buffer.from('2')]);
  expect(headers.é).toEqual(Buffer.from('y'));
  expect(headers.b).toBeUndefined();
  expect(headers.constructor).toBeUndefined();
  expect(['a' in headers, 'b' in headers]).toEqual([true, false]);
});

test('a record without headers has none', () => {
  expect(Object.keys(readBack({}).headers)).toEqual([]);
});

test('a number of headers that the bytes do not hold ends with them', () => {
  const aThousandMillion = Buffer.from([0xfe, 0xff, 0xff, 0xff, 0x07]);
  const headers = new Decoder(aThousandMillion).readVarIntArray(undefined).reduce(undefined, undefined);
  expect(Object.keys(headers as object)).toEqual([]);
});
