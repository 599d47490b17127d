import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { halved, sparkline } from '../../../cli/output/sparkline.ts';
import { changeText } from '../../../cli/output/change.ts';
import { ASCII, UNICODE } from '../../../cli/output/glyphs.ts';
import type { Format } from '../../../cli/output/format.ts';
import { type ExampleTable, exampleTable } from '../../support/example-table.ts';
import { linesIn, type Ran, runCli, type RunWish } from '../../support/run-cli.ts';
import { goldenScreens } from '../../support/screens.ts';
import { EXPECTED_EVENTS } from '../../support/stack-examples.ts';

let table: ExampleTable;
let empty: ExampleTable;
beforeAll(async () => {
  table = await exampleTable();
  empty = await exampleTable({ empty: true });
});
afterAll(() => {
  table.remove();
  empty.remove();
});

const stats = (flags: readonly string[] = [], wish: RunWish = {}, of: () => ExampleTable = () => table): Promise<Ran> =>
  runCli(['stats', ...flags], { ...wish, env: of().env });

/** Half of the examples lie before its beginning, within its own length. */
const PERIOD = ['--since', '2026-11-15T00:00:00Z', '--until', '2026-12-01T12:00:00Z'] as const;

goldenScreens('stats', (flags, columns) => stats([...flags, ...PERIOD], { columns }));
goldenScreens('stats-by-week', (flags, columns) => stats([...flags, ...PERIOD, '--by', 'week'], { columns }));

interface Line {
  readonly by: readonly string[];
  readonly count: number;
  readonly before: number | null;
  readonly change: number | null;
  readonly sessions: number;
  readonly trend: readonly number[] | null;
  readonly [dimension: string]: unknown;
}

const linesOf = async (...flags: readonly string[]): Promise<readonly Line[]> =>
  linesIn((await stats([...flags, '-o', 'ndjson'])).stdout).map((line) => JSON.parse(line) as Line); // ours

const countsOf = (key: (event: (typeof EXPECTED_EVENTS)[number]) => string): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const event of EXPECTED_EVENTS) counts[key(event)] = (counts[key(event)] ?? 0) + 1;
  return counts;
};

describe('deviations stats', () => {
  test('counts all of them by tipo and by agente, the most first, each over time', async () => {
    const lines = await linesOf();
    const of = (dimension: string): readonly Line[] => lines.filter(({ by }) => by.join() === dimension);
    const found = (dimension: string) =>
      Object.fromEntries(of(dimension).map((one) => [String(one[dimension]), one.count]));
    expect(found('tipo')).toEqual(countsOf(({ tipo }) => tipo));
    expect(found('agente')).toEqual(countsOf(({ agente }) => agente));
    const counts = of('agente').map(({ count }) => count);
    expect(counts).toEqual([...counts].sort((a, b) => b - a));
    for (const { trend, count } of lines) expect(trend?.reduce((sum, one) => sum + one, 0)).toBe(count);
  });

  test('counts by session, by combinations, and in a section for each time it is asked', async () => {
    const lines = await linesOf('--by', 'session', '--by', 'agente,tipo');
    const sessions = lines.filter(({ by }) => by.join() === 'session');
    expect(Object.fromEntries(sessions.map((one) => [String(one.session), one.count]))).toEqual(
      countsOf(({ sessionId }) => sessionId),
    );
    const pairs = lines.filter(({ by }) => by.join() === 'agente,tipo');
    expect(Object.fromEntries(pairs.map((one) => [[one.agente, one.tipo].join(' '), one.count]))).toEqual(
      countsOf(({ agente, tipo }) => `${agente} ${tipo}`),
    );
    expect(lines).toHaveLength(sessions.length + pairs.length);
  });

  test('sets the period beside the one of the same length before it', async () => {
    const lines = await linesOf(...PERIOD, '--by', 'tipo');
    expect(lines.map(({ tipo, count, before, change }) => ({ tipo, count, before, change }))).toEqual([
      { tipo: 'laco', count: 7, before: 5, change: 2 },
      { tipo: 'cancelamento_pelo_usuario', count: 0, before: 1, change: -1 },
      { tipo: 'reparo_pelo_usuario', count: 0, before: 1, change: -1 },
    ]);
    expect((await linesOf('--by', 'tipo')).map(({ before, change }) => [before, change])).toEqual(
      Array.from({ length: 3 }, () => [null, null]),
    );
  });

  test('names every day of the period, also one without a deviation, and sets it beside the day before', async () => {
    const lines = await linesOf('--since', '2026-11-18T00:00:00Z', '--until', '2026-11-22T00:00:00Z', '--by', 'day');
    expect(lines.map(({ day, count, before }) => [day, count, before])).toEqual([
      ['2026-11-18', 2, null],
      ['2026-11-19', 2, 2],
      ['2026-11-20', 0, 2],
      ['2026-11-21', 1, 0],
    ]);
  });

  test.each([
    ['hour', ['2026-11-18T22:00Z']],
    ['week', ['2026-W47']],
  ])('has buckets of one %s in UTC', async (dimension, names) => {
    const period = ['--since', '2026-11-18T22:00:00Z', '--until', '2026-11-18T23:00:00Z'];
    expect((await linesOf(...period, '--by', dimension)).map((line) => line[dimension])).toEqual(names);
  });

  test('heeds the filters and the limit', async () => {
    expect((await linesOf('--agente', 'po', '--by', 'agente')).map(({ agente }) => agente)).toEqual(['po']);
    expect(await linesOf('--by', 'agente', '-n', '2')).toHaveLength(2);
    expect((await linesOf(...PERIOD, '--by', 'day', '-n', '1')).map(({ day }) => day)).toEqual(['2026-12-01']);
  });

  test('has the keys of all sections as columns of CSV', async () => {
    const lines = linesIn((await stats(['-o', 'csv', '-n', '1'])).stdout);
    expect(lines).toEqual([
      'tipo,agente,count,before,sessions,lastAt',
      'laco,,17,,14,2026-12-01T05:37:30.554Z',
      expect.stringMatching(/^,desenvolvedor,8,,\d+,2026-/),
    ]);
  });

  test.each<[Format, string]>([
    ['table', ''],
    ['tsv', ''],
    ['ndjson', ''],
    ['json', '[]\n'],
    ['csv', 'tipo,agente,count,before,sessions,lastAt\n'],
  ])('as %s of nothing says why, with 0, and with 6 when that is asked for', async (format, stdout) => {
    const nothing = await stats(['--event', '018f0000-0000-7000-8000-000000000001', '-o', format]);
    expect(nothing).toMatchObject({ exitCode: 0, stdout });
    expect(nothing.stderr).toMatch(/^nothing matches; the newest deviation that is stored is of 2026-12-01T/);
    const none = await stats(['--fail-if-empty', '-o', format], {}, () => empty);
    expect(none).toMatchObject({ exitCode: 6, stdout });
    expect(none.stderr).toMatch(/^no deviation is stored yet; .*deviations status$/m);
  });

  test.each([
    [['--by', 'agent'], 'Give one of tipo, agente, session, hour, day, week. (Did you mean agente?)'],
    [['--by', 'tipo,tipo'], 'Give each word once.'],
    [['--since', '1h', '--until', '2h'], '--since must be before --until'],
  ])('with %j is a usage error', async (flags, said) => {
    const ran = await stats(flags);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain(said);
  });
});

describe('a change', () => {
  test.each([
    [5, undefined, '-', '-'],
    [5, 5, '=', '='],
    [3, 0, '↑ new', '^ new'],
    [0, 4, '↓ 100%', 'v 100%'],
    [3, 2, '↑ 50%', '^ 50%'],
  ])('from %i, after %p, is %s', (count, before, text, ascii) => {
    expect([changeText(count, before, UNICODE), changeText(count, before, ASCII)]).toEqual([text, ascii]);
  });
});

describe('a sparkline', () => {
  test('shows something for something, and the most for the most', () => {
    expect(sparkline([0, 1, 50, 100], UNICODE)).toBe('·▁▄█');
    expect(sparkline([0, 0], ASCII)).toBe('..');
    expect(sparkline([], UNICODE)).toBe('');
  });

  test('is halved without losing a count', () => {
    expect(halved([1, 2, 3])).toEqual([3, 3]);
  });
});
