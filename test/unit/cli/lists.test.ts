import { describe, expect, test } from '@jest/globals';
import { agentes, duration, ids, pointInTime, tipos, traceIds, wholeNumber } from '../../../cli/lists.ts';
import { uuidNo } from '../../support/builders.ts';

const refusal = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    return error instanceof Error ? error.message : 'no error object';
  }
  return 'taken';
};

const TIPO_WORDS = 'Give one of laco, cancelamento_pelo_usuario, reparo_pelo_usuario.';
const TRACE = '0af7651916cd43dd8448eb211c80319c';

describe('a list in a flag', () => {
  test('is given with commas, by repeating, or both', () => {
    expect(tipos('laco, reparo_pelo_usuario', undefined)).toEqual(['laco', 'reparo_pelo_usuario']);
    expect(tipos('laco', ['reparo_pelo_usuario'])).toEqual(['reparo_pelo_usuario', 'laco']);
    expect(agentes('desenvolvedor,revisor', undefined)).toEqual(['desenvolvedor', 'revisor']);
    expect(ids(`${uuidNo(10).toUpperCase()},${uuidNo(11)}`, undefined)).toEqual([uuidNo(10), uuidNo(11)]);
  });

  test('takes a trace id bare or in its traceparent', () => {
    expect(traceIds(`${TRACE.toUpperCase()},00-${TRACE}-b7ad6b7169203331-01`, undefined)).toEqual([TRACE, TRACE]);
  });

  test.each([
    [() => tipos('Laco', undefined), `${TIPO_WORDS} (Did you mean laco?)`],
    [() => tipos('reparo', undefined), `${TIPO_WORDS} (Did you mean reparo_pelo_usuario?)`],
    [() => tipos('zzz', undefined), TIPO_WORDS],
    [() => tipos('laco,', undefined), TIPO_WORDS],
    [() => tipos('constructor', undefined), TIPO_WORDS],
    [() => agentes('Revisor', undefined), 'Give the slug of an agent: lower-case letters, digits, single hyphens.'],
    [() => ids('x', undefined), 'Give an id: 8-4-4-4-12 hexadecimal digits.'],
    ...[
      'x',
      '0'.repeat(32),
      'a'.repeat(31),
      `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
      `ff-${TRACE}-b7ad6b7169203331-01`,
    ].map(
      (given) =>
        [
          () => traceIds(given, undefined),
          'Give a trace id of 32 hexadecimal digits, or a whole traceparent.',
        ] as const,
    ),
  ])('that does not fit says what to give (case %#)', (work, message) => {
    expect(refusal(work)).toBe(message);
  });
});

describe('a whole number', () => {
  test.each(['1', '20', '007'])('is %p', (given) => {
    expect(wholeNumber(1, 20)(given)).toBe(Number(given));
  });

  test.each(['0', '21', '-1', '1.5', '1e1', '', ' 1', '0x1', 'ten'])('from 1 to 20 is not %p', (given) => {
    expect(refusal(() => wholeNumber(1, 20)(given))).toBe('Give a whole number from 1 to 20.');
  });
});

describe('a duration', () => {
  test.each([
    ['0s', 0],
    ['500ms', 500],
    ['30s', 30_000],
    ['5m', 300_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    ['1w', 604_800_000],
  ])('%s is %i milliseconds', (given, ms) => {
    expect(duration(given)).toBe(ms);
  });

  test.each(['', '30', 's', '-5s', '1.5h', '5 m', '5M', '1y', '1h30m', '9999999999s'])('is not %p', (given) => {
    expect(refusal(() => duration(given))).toBe('Give a duration such as 500ms, 30s, 5m, 2h or 1d.');
  });
});

describe('a point in time', () => {
  const local = (...parts: [number, number, number]): number => new Date(...parts).getTime();

  test.each([
    ['2026-11-30T12:00:00Z', Date.UTC(2026, 10, 30, 12)],
    ['2026-11-30t12:00:00z', Date.UTC(2026, 10, 30, 12)],
    ['2026-11-30T12:00Z', Date.UTC(2026, 10, 30, 12)],
    ['2026-11-30T12:00:00.123456-03:00', Date.UTC(2026, 10, 30, 15, 0, 0, 123)],
    ['2026-11-30', local(2026, 10, 30)],
    ['2028-02-29', local(2028, 1, 29)],
    ['@1796040000', 1_796_040_000_000],
    ['@0', 0],
  ])('%s is what it says; a date is a local one', (given, ms) => {
    expect(pointInTime(given)).toBe(ms);
  });

  test.each([
    ['now', 0],
    ['2h', 7_200_000],
    ['1w', 604_800_000],
  ])('%s is counted back from now', (given, agoMs) => {
    const [before, at, after] = [Date.now(), pointInTime(given), Date.now()];
    expect(at + agoMs).toBeGreaterThanOrEqual(before);
    expect(at + agoMs).toBeLessThanOrEqual(after);
  });

  test('today and yesterday begin at a local midnight, one day apart', () => {
    const [today, yesterday] = [new Date(pointInTime('today')), new Date(pointInTime('yesterday'))];
    for (const day of [today, yesterday])
      expect([day.getHours(), day.getMinutes(), day.getMilliseconds()]).toEqual([0, 0, 0]);
    yesterday.setDate(yesterday.getDate() + 1);
    expect(yesterday.getTime()).toBe(today.getTime());
  });

  test.each([
    '',
    'tomorrow',
    '2026',
    '30.11.2026',
    '2026-02-30',
    '2026-13-01',
    '2026-02-30T00:00:00Z',
    '2026-11-31T12:00:00+01:00',
    '2026-11-30T25:00:00Z',
    '2026-11-30T12:00:00',
    '2026-11-30 12:00:00Z',
    '@',
    '@-1',
    '@99999999999999',
    '5y',
  ])('is not %p', (given) => {
    expect(refusal(() => pointInTime(given))).toBe(
      'Give 2h (ago), today, yesterday, 2026-11-30, 2026-11-30T12:00:00Z or @1796000000.',
    );
  });
});
