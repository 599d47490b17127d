/** Headers that stay bytes are, to whoever looks, the object that kafkajs would have made of them. */
import { createRequire } from 'node:module';
import { expect, test } from '@jest/globals';
import { headersAt } from '../../../wire/kafka/packed-headers.ts';
import { packedRecords } from '../../../wire/kafka/packed-record.ts';

const require = createRequire(import.meta.url);

type Headers = Record<string, Buffer | string | null | (Buffer | string)[]>;

const encodeRecord = require('kafkajs/src/protocol/recordBatch/record/v0/index.js') as (record: object) => {
  readonly buffer: Buffer;
};

/** As kafkajs writes it. */
const readBack = (headers: Headers) => {
  const { buffer } = encodeRecord({ offsetDelta: 0, timestampDelta: 0, key: 'k', value: 'v', headers });
  const [record] = packedRecords(
    {
      bytes: buffer,
      firstOffset: 0n,
      firstTimeMs: 0,
      lastTimeMs: 0,
      timestampType: 0,
      isControlBatch: false,
      inTransaction: false,
      producerId: '-1',
    },
    1,
  );
  if (record === undefined) throw new Error('one record was written');
  return record;
};

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
  const headers = headersAt({ bytes: aThousandMillion, at: 0, end: aThousandMillion.length });
  expect(Object.keys(headers)).toEqual([]);
});
