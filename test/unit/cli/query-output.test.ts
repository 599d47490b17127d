import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { FORMATS } from '../../../cli/output/format.ts';
import { migrate, openStore } from '../../../consumer/index.ts';
import { aFlush, aRow, KEY } from '../../contract/flushes.ts';
import { NOON_MS, PROJECT, SESSION, uuidNo, uuids } from '../../support/builders.ts';
import { goldenScreens } from '../../support/screens.ts';
import { linesIn, runCli, type RunWish } from '../../support/run-cli.ts';

let folder: string;
let url: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'deviations-query-'));
  url = `sqlite:${join(folder, 'session-events.db')}`;
  await migrate({ url });
  const store = await openStore({ url });
  const { epoch } = await store.claim(KEY);
  const rows = [
    aRow(1, { evidenceEventIds: uuids(3, 50) }),
    aRow(2, { occurredAt: NOON_MS + 1_000, tipo: 'reparo_pelo_usuario', agente: 'revisor' }),
  ];
  await store.flush(aFlush(epoch, undefined, 3, { rows }));
  await store.close();
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const query = (flags: readonly string[] = [], wish: RunWish = {}) =>
  runCli(['query', ...flags], { ...wish, env: { DATABASE_URL: url } });

const TSV = [
  `2026-11-30T12:00:01.123Z\treparo_pelo_usuario\trevisor\t0\t${SESSION}\t${uuidNo(2)}`,
  `2026-11-30T12:00:00.123Z\tlaco\tdesenvolvedor\t3\t${SESSION}\t${uuidNo(1)}`,
];

goldenScreens('query', (flags, columns) => query(flags, { columns }));

describe('deviations query', () => {
  test('prints tab-separated lines into a pipe, the newest first', async () => {
    const ran = await query();
    expect(ran).toEqual({ exitCode: 0, stdout: `${TSV.join('\n')}\n`, stderr: '' });
    expect((await query(['-o', 'tsv'], { columns: 80 })).stdout).toBe(ran.stdout);
  });

  test('prints a table that fits a terminal of any width', async () => {
    for (const columns of [40, 60, 80, 120, 200]) {
      const { stdout, exitCode } = await query([], { columns });
      // oxlint-disable-next-line no-control-regex -- the escapes that paint a heading take no room
      const lines = linesIn(stdout).map((line) => line.replaceAll(/\u001b\[\d+m/g, ''));
      expect(exitCode).toBe(0);
      expect(lines[0]).toMatch(/^occurr/);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
    }
  });

  test('prints JSON with the event’s fields under their schema names and its place under _meta', async () => {
    const { stdout } = await query(['-o', 'ndjson', '--tipo', 'laco']);
    expect(linesIn(stdout).map((line) => JSON.parse(line) as unknown)).toStrictEqual([
      {
        eventId: uuidNo(1),
        sessionId: SESSION,
        projectId: PROJECT,
        occurredAt: '2026-11-30T12:00:00.123Z',
        actor: 'agent/anamnese',
        agente: 'desenvolvedor',
        tipo: 'laco',
        evidenceEventIds: uuids(3, 50),
        _meta: { topic: KEY.topic, partition: 3, offset: 1, schemaId: 7, recordedAt: expect.stringMatching(/Z$/) },
      },
    ]);
    const { stdout: whole } = await query(['-o', 'json', '--tipo', 'laco']);
    expect(JSON.parse(whole)).toEqual([JSON.parse(stdout)]);
  });

  test('prints CSV with headings', async () => {
    const { stdout } = await query(['-o', 'csv']);
    expect(linesIn(stdout)).toEqual([
      'occurredAt,tipo,agente,evidence,sessionId,eventId',
      ...TSV.map((line) => line.replaceAll('\t', ',')),
    ]);
  });

  test.each([...FORMATS])(
    'ends the same in the form %s: 0, also when nothing matches, and 6 when that is asked for',
    async (format) => {
      const nothing = ['--event', uuidNo(99), '-o', format];
      expect((await query(['-o', format])).exitCode).toBe(0);
      expect((await query(nothing)).exitCode).toBe(0);
      expect((await query([...nothing, '--fail-if-empty'])).exitCode).toBe(6);
      expect((await query(['-o', format, '--fail-if-empty'])).exitCode).toBe(0);
    },
  );

  test.each([
    [['--tipo', 'laco,reparo_pelo_usuario'], 2],
    [['--tipo', 'laco', '--tipo', 'reparo_pelo_usuario'], 2],
    [['--tipo', 'laco', '--agente', 'revisor'], 0],
    [['--session', SESSION.toUpperCase()], 2],
    [['--project', uuidNo(1)], 0],
    [['--evidence', uuidNo(51)], 1],
    [['--since', '2026-11-30T12:00:01Z'], 1],
    [['--until', '2026-11-30T09:00:01.123-03:00'], 1],
    [['-n', '1'], 1],
  ])('%j finds %i', async (flags, count) => {
    expect(linesIn((await query(flags)).stdout)).toHaveLength(count);
  });
});
