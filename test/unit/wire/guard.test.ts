import avro from 'avsc';
import { describe, expect, test } from '@jest/globals';
import { guardedType, isPrecisionLoss } from '../../../wire/avro/guard.ts';
import { avroArray, avroLong, avroString } from '../../support/avro-bytes.ts';
import { textOf } from '../../support/source-files.ts';

/** The guard overrides inner methods of avsc: each test here fails when avsc stops calling one of them. */
const guarded = (schema: unknown): avro.Type => avro.Type.forSchema(schema as avro.Schema, { typeHook: guardedType }); // avsc judges it

const LIST = { type: 'array', items: 'string', maxItems: 2 };
const WORDS = { type: 'enum', name: 'Words', symbols: ['first', 'second'] };

/** The same inside a record, where avsc compiles the calls into code of its own. */
const inRecord = (type: unknown) => ({ type: 'record', name: 'R', fields: [{ name: 'f', type }] });

const shapes: readonly (readonly [string, (schema: unknown) => avro.Type, (value: unknown) => unknown])[] = [
  ['on its own', guarded, (value) => value],
  ['in a record', (schema) => guarded(inRecord(schema)), (value) => ({ f: value })],
];

test('the version of avsc is pinned, because its inner methods are replaced', () => {
  const { dependencies } = JSON.parse(textOf('package.json')) as { dependencies: Record<string, string> }; // our own file
  const installed = JSON.parse(textOf('node_modules/avsc/package.json')) as { version: string }; // npm's own file
  expect(dependencies.avsc).toMatch(/^\d+\.\d+\.\d+$/);
  expect(installed.version).toBe(dependencies.avsc);
});

describe.each(shapes)('a type %s', (_, typeOf, value) => {
  test('reads no list with more items than it may have, or than there are bytes', () => {
    const type = typeOf(LIST);
    expect(type.fromBuffer(avroArray(['a', 'b'].map(avroString)))).toEqual(value(['a', 'b']));
    expect(() => type.fromBuffer(avroArray(['a', 'b', 'c'].map(avroString)))).toThrow('EVIDENCE_OVER_20');
    expect(() => type.fromBuffer(avroLong(50_000_000))).toThrow('EVIDENCE_UNBOUNDED');
    expect(() => type.fromBuffer(avroLong(-(2 ** 52)))).toThrow('EVIDENCE_UNBOUNDED');
  });

  test('writes and accepts no list with more items than it may have', () => {
    const type = typeOf(LIST);
    expect(type.isValid(value(['a', 'b']))).toBe(true);
    expect(type.isValid(value(['a', 'b', 'c']))).toBe(false);
    expect(type.isValid(value({ length: 1, 0: 'a' }))).toBe(false);
    expect(() => type.toBuffer(value(['a', 'b', 'c']))).toThrow('EVIDENCE_OVER_20');
  });

  test('knows no word by the name of a prototype’s member', () => {
    const type = typeOf(WORDS);
    expect(type.isValid(value('second'))).toBe(true);
    for (const word of ['constructor', 'toString', '__proto__', 'third']) {
      expect(type.isValid(value(word))).toBe(false);
      expect(() => type.toBuffer(value(word))).toThrow('SYMBOL_INVALID');
    }
  });

  test('reads no word beyond its own', () => {
    const type = typeOf(WORDS);
    expect(type.fromBuffer(avroLong(1))).toEqual(value('second'));
    expect(() => type.fromBuffer(avroLong(2))).toThrow('SYMBOL_INVALID');
    expect(() => type.fromBuffer(avroLong(-1))).toThrow('SYMBOL_INVALID');
  });

  test('reads a map over, within the bytes that there are', () => {
    const type = typeOf({ type: 'map', values: 'string' });
    const entry = Buffer.concat([avroString('key'), avroString('text')]);
    expect(type.fromBuffer(avroArray([entry, entry]))).toEqual(value({}));
    expect(() => type.fromBuffer(avroLong(50_000_000))).toThrow('EVIDENCE_UNBOUNDED');
  });
});

test('a field that names an enum again finds the guarded one', () => {
  const type = guarded({
    type: 'record',
    name: 'R',
    fields: [
      { name: 'f', type: WORDS },
      { name: 'again', type: 'Words' },
    ],
  });
  expect(type.isValid({ f: 'first', again: 'second' })).toBe(true);
  expect(type.isValid({ f: 'first', again: 'constructor' })).toBe(false);
  expect(() => type.fromBuffer(Buffer.concat([avroLong(0), avroLong(9)]))).toThrow('SYMBOL_INVALID');
});

test('a long beyond 2^53 is told by the message that the guard looks for', () => {
  let loss: unknown;
  try {
    avro.Type.forSchema('long').fromBuffer(avroLong(2n ** 60n));
  } catch (error) {
    loss = error;
  }
  expect(isPrecisionLoss(loss)).toBe(true);
  expect(isPrecisionLoss(new Error('another'))).toBe(false);
});
