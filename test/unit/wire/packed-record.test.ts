/** A record is places in the bytes of its batch: what it answers is what was sent. */
import { createRequire } from 'node:module';
import { expect, test } from '@jest/globals';
import type { KafkaMessage } from 'kafkajs';
import { hasHeader, LOG_APPEND_TIME, packedRecords, recordOf, schemaIdOf } from '../../../wire/kafka/packed-record.ts';

const require = createRequire(import.meta.url);

const encode = require('kafkajs/src/protocol/recordBatch/record/v0/index.js') as (record: object) => {
  readonly buffer: Buffer;
};

const FIRST_OFFSET = 9007199254740993n;
const TIME_MS = 1_796_000_000_000;

const packed = (bytes: Buffer, count: number, arrivedAtMs?: number) =>
  packedRecords(
    {
      bytes,
      firstOffset: FIRST_OFFSET,
      firstTimeMs: TIME_MS,
      lastTimeMs: arrivedAtMs ?? TIME_MS,
      timestampType: arrivedAtMs === undefined ? 0 : LOG_APPEND_TIME,
      isControlBatch: false,
      inTransaction: false,
      producerId: '-1',
    },
    count,
  ).map(recordOf);

const bytesOf = (given: readonly object[]): readonly Buffer[] =>
  given.map((one, offsetDelta) => encode({ offsetDelta, timestampDelta: offsetDelta, headers: {}, ...one }).buffer);

const GIVEN = [
  { key: 'k', value: 'first', headers: { ce_type: 'a', traceparent: ['1', '2'] } },
  { key: null, value: null },
  { key: '', value: '', headers: { ce_type: 'b' } },
];

test('key, value, headers, time and offset are those of the record, and of its own alone', () => {
  const [first, second, third] = packed(Buffer.concat(bytesOf(GIVEN)), GIVEN.length);
  expect([first?.offset, second?.offset, third?.offset]).toEqual([FIRST_OFFSET, FIRST_OFFSET + 1n, FIRST_OFFSET + 2n]);
  expect([first?.key, first?.value]).toEqual([Buffer.from('k'), Buffer.from('first')]);
  expect([second?.key, second?.value]).toEqual([null, null]);
  expect([third?.key, third?.value]).toEqual([Buffer.alloc(0), Buffer.alloc(0)]);
  expect({ ...first?.headers }).toEqual({
    ce_type: Buffer.from('a'),
    traceparent: [Buffer.from('1'), Buffer.from('2')],
  });
  expect([{ ...second?.headers }, { ...third?.headers }]).toEqual([{}, { ce_type: Buffer.from('b') }]);
});

test('its time is its own, or the one of its arrival', () => {
  const bytes = Buffer.concat(bytesOf(GIVEN));
  expect(packed(bytes, GIVEN.length).map(({ recordTimeMs }) => recordTimeMs)).toEqual([
    TIME_MS,
    TIME_MS + 1,
    TIME_MS + 2,
  ]);
  expect(packed(bytes, GIVEN.length, 5).map(({ recordTimeMs }) => recordTimeMs)).toEqual([5, 5, 5]);
});

test('a record is packed: no object of the client waits with it', () => {
  expect(packed(Buffer.concat(bytesOf(GIVEN)), GIVEN.length).flatMap((record) => Object.values(record))).toEqual([]);
});

test('a record that claims to be longer than its batch, or empty, is an error', () => {
  const [whole] = bytesOf(GIVEN);
  if (whole === undefined) throw new Error('a record is given');
  expect(() => packed(whole.subarray(0, -1), 1)).toThrow(RangeError);
  expect(() => packed(Buffer.from([0]), 1)).toThrow(RangeError);
});

test('a message of the format before headers is taken as it is', () => {
  const message = {
    key: Buffer.from('k'),
    value: Buffer.from('v'),
    timestamp: String(TIME_MS),
    offset: '7',
    attributes: 0,
  };
  const old = message as unknown as KafkaMessage; // that format has neither size nor headers
  expect(recordOf(old)).toEqual({
    offset: 7n,
    recordTimeMs: TIME_MS,
    key: Buffer.from('k'),
    value: Buffer.from('v'),
    headers: {},
  });
});

test('a record that claims more headers than it has takes none of its neighbour', () => {
  const [claims, neighbour] = bytesOf(GIVEN).slice(1);
  if (claims === undefined || neighbour === undefined) throw new Error('two records are given');
  // Its last byte is the number of its headers: one, as the format writes it.
  claims[claims.length - 1] = 2;
  const [record] = packed(Buffer.concat([claims, neighbour]), 2);
  expect(Object.keys(record?.headers ?? { none: '' })).toEqual([]);
});

test('a value that claims to be longer than its record takes none of its neighbour', () => {
  const [claims, neighbour] = bytesOf([
    { key: 'k', value: 'value' },
    { key: 'n', value: 'secret' },
  ]);
  if (claims === undefined || neighbour === undefined) throw new Error('two records are given');
  // Length, attributes, two deltas, the key's length and the key come before it.
  claims[6] = 2 * 60;
  const [record, next] = packed(Buffer.concat([claims, neighbour]), 2);
  expect(String(record?.value)).toBe('value\0');
  expect(Object.keys(record?.headers ?? { none: '' })).toEqual([]);
  expect(String(next?.value)).toBe('secret');
});

test('a header that claims to be longer than its record takes none of its neighbour', () => {
  const [claims, neighbour] = bytesOf([
    { key: null, value: null, headers: { a: 'x' } },
    { key: 'n', value: 'secret' },
  ]);
  if (claims === undefined || neighbour === undefined) throw new Error('two records are given');
  claims[claims.length - 2] = 2 * 60;
  const [record] = packed(Buffer.concat([claims, neighbour]), 2);
  expect({ ...record?.headers }).toEqual({ a: Buffer.from('x') });
});

test('what is told without making anything is what its value and its headers say', () => {
  const text = 'anamnese.fact_accepted';
  const values = ['', '{', '\0\0\0\0', '\0\0\0\0\u0007', '\0\0\0\u0001\0body', '\0\u007f\0\0\0', null];
  const headers = [
    {},
    { ce_type: text },
    { ce_id: text, ce_typo: text, ce_type: `${text}s` },
    { ce_type: [text, text] },
    { ce_type: '' },
    { é: 'x', ce_type: text, ce_source: '/anamnese' },
  ];
  const given = [
    ...values.map((value) => ({ key: 'k', value })),
    ...headers.map((one) => ({ value: 'v', headers: one })),
  ];
  const records = packed(Buffer.concat(bytesOf(given)), given.length);
  const told = records.map((record) => [schemaIdOf(record), hasHeader(record, 'ce_type', text)]);
  expect(told.map(([id]) => id).slice(0, values.length)).toEqual([
    undefined,
    undefined,
    undefined,
    7,
    256,
    0x7f000000,
    undefined,
  ]);
  expect(told.map(([, has]) => has).slice(values.length)).toEqual([false, true, false, false, false, true]);
  const plain = records.map(({ offset, recordTimeMs, key, value, headers: all }) => ({
    offset,
    recordTimeMs,
    key,
    value,
    headers: { ...all },
  }));
  expect(told).toEqual(plain.map((record) => [schemaIdOf(record), hasHeader(record, 'ce_type', text)]));
});
