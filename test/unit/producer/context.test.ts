import { describe, expect, test } from '@jest/globals';
import { checkReport } from '../../../producer/check-report.ts';
import { LOOKUP_LIMIT_MS, parseTime } from '../../../producer/context.ts';
import { reportPolicy } from '../../../producer/index.ts';
import { AGENTES, aContext, anInput, NOON_MS, PROJECT, SESSION, uuidNo, uuids } from '../../support/builders.ts';

const NOW_MS = NOON_MS + 5_000;

const check = (context: unknown, more: { readonly requireEvidenceLookup?: boolean } = {}, input: unknown = anInput()) =>
  checkReport({ context, input }, reportPolicy({ agents: AGENTES, nowMs: () => NOW_MS, ...more }));

const outcome = async (...given: Parameters<typeof check>): Promise<unknown> => {
  const checked = await check(...given);
  return checked.fine ? checked.context : checked.code;
};

describe('a context', () => {
  test('is taken field by field, its ids lowered, keys that are not named ignored', async () => {
    const given = aContext({ sessionId: SESSION.toUpperCase(), projectId: PROJECT.toUpperCase() });
    expect(await outcome({ ...given, userId: 'zulmira', email: 'zulmira@example.org' })).toStrictEqual({
      sessionId: SESSION,
      projectId: PROJECT,
      toolCallId: 'call_1',
      occurredAtMs: NOON_MS,
      knownEvents: undefined,
      traceparent: undefined,
    });
  });

  test('without a time has the engine’s clock', async () => {
    expect(await outcome(aContext({ occurredAt: undefined }))).toMatchObject({ occurredAtMs: NOW_MS });
  });

  test('with an invalid traceparent loses it, with a valid one keeps it', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    expect(await outcome(aContext({ traceparent }))).toMatchObject({ traceparent });
    expect(await outcome(aContext({ traceparent: `${traceparent}x` }))).toMatchObject({ traceparent: undefined });
  });

  test.each([
    undefined,
    null,
    'text',
    7,
    [],
    [aContext()],
    () => aContext(),
    aContext({ sessionId: undefined }),
    aContext({ sessionId: null }),
    aContext({ sessionId: `{${SESSION}}` }),
    aContext({ projectId: 7 }),
    aContext({ projectId: `urn:uuid:${PROJECT}` }),
    aContext({ toolCallId: '' }),
    aContext({ toolCallId: 'a'.repeat(257) }),
    aContext({ toolCallId: 'a call' }),
    aContext({ toolCallId: 'chamada-ç' }),
    aContext({ toolCallId: 'call\n' }),
    aContext({ toolCallId: 7 }),
    aContext({ toolCallId: null }),
    aContext({ occurredAt: null }),
    aContext({ occurredAt: NOON_MS }),
    aContext({ occurredAt: '2026-11-30' }),
    aContext({ occurredAt: '2026-02-30T00:00:00Z' }),
    aContext({ occurredAt: '2019-12-31T23:59:59.999Z' }),
    aContext({ occurredAt: '2100-01-01T00:00:00Z' }),
    aContext({ sessionEventIds: null }),
    aContext({ sessionEventIds: 'text' }),
    aContext({ sessionEventIds: {} }),
    aContext({ sessionEventIds: [uuidNo(1), 'no id'] }),
    aContext({ sessionEventIds: [uuidNo(1), undefined] }),
  ])('that is wrong (case %#) is the engine’s bug, answered and not thrown', async (context) => {
    expect(await outcome(context)).toBe('CONTEXT_INVALID');
  });

  test.each(['a', '~', '!', `${'a'.repeat(255)}~`])('takes the tool-call id %p', async (toolCallId) => {
    expect(await outcome(aContext({ toolCallId }))).toMatchObject({ toolCallId });
  });
});

describe('the look-up of the session’s events', () => {
  const evidence = anInput({ evidenceEventIds: ['no id', uuidNo(2).toUpperCase(), uuidNo(1), uuidNo(2)] });

  test('is mandatory when the policy says so', async () => {
    expect(await outcome(aContext(), { requireEvidenceLookup: true })).toBe('CONTEXT_INVALID');
    expect(await outcome(aContext({ sessionEventIds: [] }), { requireEvidenceLookup: true })).toMatchObject({
      knownEvents: new Set(),
    });
  });

  test('is asked once, for the ids among the evidence and nothing else', async () => {
    const asked: unknown[] = [];
    const sessionEventIds = (candidates: readonly string[]) => {
      asked.push(candidates);
      return Promise.resolve(new Set([uuidNo(1)]));
    };
    const checked = await check(aContext({ sessionEventIds }), {}, evidence);
    expect(asked).toEqual([[uuidNo(2), uuidNo(1)]]);
    expect(checked).toMatchObject({ fine: true, report: { evidence: { kept: [uuidNo(1)], counts: { unknown: 1 } } } });
  });

  test.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('about Zulmira');
      },
    ],
    ['rejects', () => Promise.reject(new Error('about Zulmira'))],
    ['answers nothing', () => undefined],
    ['answers a text', () => uuidNo(1)],
    ['answers what is no id', () => ['no id']],
    [
      'answers a list that throws',
      () => ({
        [Symbol.iterator]: () => {
          throw new Error('about Zulmira');
        },
      }),
    ],
  ])('that %s makes the context invalid', async (_, sessionEventIds) => {
    expect(await outcome(aContext({ sessionEventIds }), {}, evidence)).toBe('CONTEXT_INVALID');
  });

  test('that never answers is waited for as long as the design says, and no longer', async () => {
    expect(LOOKUP_LIMIT_MS).toBe(5_000);
    expect(await outcome(aContext({ sessionEventIds: () => new Promise(() => {}) }), {}, evidence)).toBe(
      'CONTEXT_INVALID',
    );
  });

  test('may answer more ids than it was asked for, in any iterable', async () => {
    const sessionEventIds = () => new Set(uuids(5).map((id) => id.toUpperCase()));
    expect(await outcome(aContext({ sessionEventIds }), {}, evidence)).toMatchObject({
      knownEvents: new Set(uuids(5)),
    });
  });
});

describe('the time of a context', () => {
  test.each([
    ['2026-11-30T12:00:00Z', Date.UTC(2026, 10, 30, 12)],
    ['2026-11-30t12:00:00z', Date.UTC(2026, 10, 30, 12)],
    ['2026-11-30T12:00:00+03:30', Date.UTC(2026, 10, 30, 8, 30)],
    ['2026-11-30T12:00:00-03:00', Date.UTC(2026, 10, 30, 15)],
    ['2026-11-30T12:00:00-00:00', Date.UTC(2026, 10, 30, 12)],
    ['2026-11-30T12:00:00.1Z', Date.UTC(2026, 10, 30, 12, 0, 0, 100)],
    ['2026-11-30T12:00:00.9999999Z', Date.UTC(2026, 10, 30, 12, 0, 0, 999)],
    ['2026-12-31T23:59:59.9996-01:00', Date.UTC(2027, 0, 1, 0, 59, 59, 999)],
    ['2028-02-29T00:00:00Z', Date.UTC(2028, 1, 29)],
  ])('%s is cut to milliseconds, not rounded, and its offset taken off', (text, ms) => {
    expect(parseTime(text)).toBe(ms);
  });

  test.each([
    '2026-02-30T00:00:00Z',
    '2027-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-10T00:00:00Z',
    '2026-11-31T00:00:00Z',
    '2026-11-30T24:00:00Z',
    '2026-11-30T12:60:00Z',
    '2026-11-30T12:00:60Z',
    '2026-11-30T12:00:00',
    '2026-11-30T12:00Z',
    '2026-11-30 12:00:00Z',
    '2026-11-30T12:00:00.Z',
    '2026-11-30T12:00:00+24:00',
    '2026-11-30T12:00:00+0300',
    ' 2026-11-30T12:00:00Z',
    '2026-11-30T12:00:00Z\n',
    '+002026-11-30T12:00:00Z',
    '',
  ])('%p is none', (text) => {
    expect(parseTime(text)).toBeUndefined();
  });
});
