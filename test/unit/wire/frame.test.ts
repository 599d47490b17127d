import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { frame, schemaId, unframe } from '../../../wire/index.ts';

const bytes = (...values: number[]): Buffer => Buffer.from(values);

describe('the frame', () => {
  test('is a zero byte, the id as a big-endian int32, and the body', () => {
    expect(frame(schemaId(0x01020304), bytes(0xaa, 0xbb)).toString('hex')).toBe('0001020304aabb');
    expect(frame(schemaId(0), bytes()).toString('hex')).toBe('0000000000');
  });

  test('comes off again with the id and the body that went in', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 0x7fffffff }), fc.uint8Array(), (id, body) => {
        expect(unframe(frame(schemaId(id), body))).toEqual({ framed: true, id, body: Buffer.from(body) });
      }),
    );
  });

  test('may stand alone, with an empty body behind it', () => {
    expect(unframe(bytes(0, 0, 0, 0, 7))).toEqual({ framed: true, id: 7, body: bytes() });
  });
});

describe('a value that is not framed', () => {
  test.each([
    ['no value at all', null, 'VALUE_NULL'],
    ['an empty value', bytes(), 'VALUE_EMPTY'],
    ['1 byte', bytes(0), 'NOT_FRAMED'],
    ['3 bytes', bytes(0, 0, 0), 'NOT_FRAMED'],
    ['4 bytes', bytes(0, 0, 0, 7), 'NOT_FRAMED'],
    ['a JSON text', Buffer.from('{"tipo":"laco"}'), 'NOT_FRAMED'],
    ['another magic byte', bytes(1, 0, 0, 0, 7, 1), 'NOT_FRAMED'],
    ['the id 0', bytes(0, 0, 0, 0, 0, 1), 'SCHEMA_UNKNOWN'],
    ['the id -1', bytes(0, 0xff, 0xff, 0xff, 0xff, 1), 'SCHEMA_UNKNOWN'],
    ['the least id', bytes(0, 0x80, 0, 0, 0, 1), 'SCHEMA_UNKNOWN'],
  ])('%s is told by its reason', (_, value, reason) => {
    expect(unframe(value)).toEqual({ framed: false, reason });
  });
});
