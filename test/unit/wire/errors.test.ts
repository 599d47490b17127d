import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { codeOf, type ErrorCode, isStreamError, StreamError } from '../../../wire/index.ts';

/** Design section 7, exit codes; the compiler asks for a line per code. */
const EXIT_CODES = {
  UNEXPECTED: 1,
  EVENT_INVALID: 1,
  USAGE: 2,
  CONFIG_MISSING: 3,
  CONFIG_INVALID: 3,
  CONTRACT_MISMATCH: 3,
  BROKER_UNREACHABLE: 4,
  BROKER_REFUSED: 4,
  TOPIC_MISSING: 4,
  REGISTRY_UNREACHABLE: 4,
  REGISTRY_REFUSED: 4,
  SUBJECT_MISSING: 4,
  DATABASE_UNREACHABLE: 4,
  DATABASE_NOT_MIGRATED: 4,
  DATABASE_REFUSED: 4,
  OUTBOX_MISSING: 4,
  OUTBOX_REFUSED: 4,
  CONSUMER_AWAY: 4,
  STACK_UNAVAILABLE: 4,
  NOT_DRAINED: 4,
  DATA_PROBLEM: 5,
  HALTED: 5,
} as const satisfies Record<ErrorCode, number>;

const CODES = Object.keys(EXIT_CODES) as readonly ErrorCode[]; // its own keys, by the type above

/** What waiting may mend; everything else must reach a person. */
const WAITED_FOR = CODES.filter((code) => EXIT_CODES[code] === 4 && code !== 'STACK_UNAVAILABLE');

describe('an error of ours', () => {
  test.each(CODES)('%s ends the process with the code of the design, and is retried or not', (code) => {
    const error = new StreamError(code, 'a place', 'Do something');
    expect([error.code, error.exitCode, error.retriable]).toEqual([code, EXIT_CODES[code], WAITED_FOR.includes(code)]);
    expect(error.message).toMatch(new RegExp(`^[a-z].+ \\(${code}\\): a place\\. Do something$`));
    expect(error.cause).toBeUndefined();
  });

  test('is known by its name and code, also when another realm made it', () => {
    expect(isStreamError(new StreamError('HALTED', 'a place', 'Do'))).toBe(true);
    expect(isStreamError(Object.assign(new Error('x'), { name: 'StreamError', code: 'HALTED' }))).toBe(true);
    expect(isStreamError(Object.assign(new Error('x'), { name: 'StreamError', code: 'OTHER' }))).toBe(false);
    expect(isStreamError(Object.assign(new Error('x'), { code: 'HALTED' }))).toBe(false);
    expect(isStreamError({ name: 'StreamError', code: 'HALTED' })).toBe(false);
    expect(isStreamError(undefined)).toBe(false);
  });
});

describe('the code of a foreign error', () => {
  test.each([
    [{ code: 'ECONNREFUSED' }, 'ECONNREFUSED'],
    [{ type: 'UNKNOWN_TOPIC_OR_PARTITION' }, 'UNKNOWN_TOPIC_OR_PARTITION'],
    [new TypeError('about Zulmira'), 'TypeError'],
    [{ code: 'Zulmira said so', name: 'KafkaJSProtocolError' }, 'KafkaJSProtocolError'],
    [{ code: 42 }, 'UNKNOWN'],
    [{ message: 'about Zulmira' }, 'UNKNOWN'],
    ['about Zulmira', 'UNKNOWN'],
    [null, 'UNKNOWN'],
  ])('of %p is %s', (error, code) => {
    expect(codeOf(error)).toBe(code);
  });

  test('is one word of at most 64 characters, whatever the error says', () => {
    const said = fc.oneof(fc.string({ unit: 'binary' }), fc.lorem(), fc.anything());
    fc.assert(
      fc.property(fc.record({ code: said, type: said, name: said, message: said }), (error) => {
        expect(codeOf(error)).toMatch(/^[A-Za-z][A-Za-z0-9_]{1,63}$/);
      }),
    );
  });
});
