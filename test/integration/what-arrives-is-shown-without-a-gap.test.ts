/** `tail`: the table's last rows and what the topic holds behind them, each event once, with what cannot be read named. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { writeTo } from '../support/foreign-writer.ts';
import { linesOf, type RunningProcess } from '../support/processes.ts';
import { type Ran, runCli } from '../support/run-cli.ts';
import { goldenScreens } from '../support/screens.ts';
import { caughtUp } from '../support/stack-database.ts';
import { deviationNo, deviationsFrom, projectablesFrom, recordsOf } from '../support/stack-events.ts';
import { enterScene, type Scene } from '../support/stack-scene.ts';
import { endsOf } from '../support/topics.ts';
import { waitFor } from '../support/wait-for.ts';

/** Must be nowhere but on the topic, and in the file that was asked for. */
const CANARY = 'canary-tail-3c9b';
const STORED = 20;

let scene: Scene;
beforeAll(async () => {
  scene = await enterScene('without-a-gap', { partitions: 1 });
  await publish(1, STORED);
  const sink = scene.consume('sink');
  await caughtUp(scene.databaseFile, 'sink', await endsOf(scene.topic), sink.stderr);
  sink.kill('SIGTERM');
  await sink.ended();
  // What the sink has not read: two new ones, one of them repeated, one row again, another type, and three bad ones.
  await publish(21, 2);
  await publish(22, 1);
  await publish(STORED, 1);
  await writeTo(scene.topic, await recordsOf(projectablesFrom(900, 1)));
  const [good] = await recordsOf(deviationsFrom(23, 1));
  await writeTo(scene.topic, [
    {
      key: CANARY,
      value: Buffer.from(`{"nome":"${CANARY}"}`),
      headers: { [CANARY]: CANARY, ce_tipo: `\u001b]0;${CANARY}` },
    },
    { key: null, value: null },
    {
      key: good?.key ?? '',
      value: Buffer.concat([good?.value ?? Buffer.alloc(0), Buffer.from([0])]),
      headers: { ...good?.headers },
    },
  ]);
});
afterAll(() => scene.leave());

const publish = async (first: number, howMany: number): Promise<void> =>
  writeTo(scene.topic, await recordsOf(deviationsFrom(first, howMany)));

const idOf = (n: number): string => deviationNo(n).eventId;
const objects = (text: string): readonly Record<string, unknown>[] =>
  linesOf(text).map((line) => JSON.parse(line) as Record<string, unknown>); // a line of ndjson
const idsIn = (text: string): readonly unknown[] =>
  objects(text).map(({ eventId, unreadable }) => eventId ?? unreadable);

const run = (args: readonly string[]): Promise<Ran> => runCli(args, { env: scene.env });

const UNREADABLE = [
  { reason: 'NOT_FRAMED', size: CANARY.length + 11 },
  { reason: 'VALUE_NULL', size: 0 },
  { reason: 'TRAILING_BYTES', size: expect.any(Number) },
];

test('ends with what the topic holds by now, says what cannot be read, and exits with 5', async () => {
  const ran = await run(['tail', '-n', '8', '-o', 'ndjson']);
  expect(idsIn(ran.stdout)).toEqual([...[18, 19, 20, 21, 22].map(idOf), ...UNREADABLE]);
  expect(ran.exitCode).toBe(5);
  expect(ran.stderr).toBe('deviations: not shown: 1 of other types, 2 repeated\n');
  const [stored, , , arrived, , bad, , signed] = objects(ran.stdout);
  expect(stored).toMatchObject({
    tipo: deviationNo(18).tipo,
    actor: 'agent/anamnese',
    _headers: null,
    _otherHeaders: null,
    _meta: {
      topic: scene.topic,
      partition: 0,
      offset: 17,
      recordTime: null,
      key: null,
      recordedAt: expect.stringMatching(/Z$/),
    },
  });
  expect(arrived).toMatchObject({
    eventId: idOf(21),
    _otherHeaders: 0,
    _headers: { ce_id: idOf(21), ce_type: 'anamnese.agent_deviation', ce_tipo: deviationNo(21).tipo },
    _meta: { offset: 20, recordedAt: null, recordTime: expect.stringMatching(/Z$/), key: deviationNo(21).sessionId },
  });
  expect(Object.keys(arrived ?? {})).toEqual(Object.keys(stored ?? {}));
  // Of a stranger's headers only the number is shown; of ours those with valid values.
  expect(bad).toMatchObject({
    _headers: {},
    _otherHeaders: 2,
    _meta: { partition: 0, offset: 25, schemaId: null, key: null },
  });
  expect(signed).toMatchObject({ _headers: { ce_id: idOf(23) }, _meta: { key: deviationNo(23).sessionId } });
  expect(ran.stdout + ran.stderr).not.toContain(CANARY);
});

test('shows the same in every form, and the same exit code', async () => {
  for (const format of ['table', 'tsv', 'csv', 'json'] as const) {
    const ran = await run(['tail', '-n', '8', '-o', format]);
    expect({ format, exitCode: ran.exitCode }).toEqual({ format, exitCode: 5 });
    for (const n of [18, 22]) expect(ran.stdout).toContain(idOf(n));
    for (const { reason } of UNREADABLE) expect(ran.stdout).toContain(reason);
    expect(ran.stdout).not.toContain(CANARY);
    if (format === 'json') expect(JSON.parse(ran.stdout)).toHaveLength(8);
    if (format === 'tsv') expect(linesOf(ran.stdout).map((line) => line.split('\t').length)).toEqual(Array(8).fill(6));
  }
  expect(await run(['tail', '-f', '-o', 'json'])).toMatchObject({ exitCode: 2 });
});

test('lets through what the filters let through, from the table and from the topic', async () => {
  const tipo = deviationNo(21).tipo;
  const ran = await run(['tail', '-n', '50', '-o', 'ndjson', '--tipo', tipo]);
  const expected = [...Array(22).keys()].map((index) => index + 1).filter((n) => deviationNo(n).tipo === tipo);
  expect(idsIn(ran.stdout)).toEqual([...expected.map(idOf), ...UNREADABLE]);
  const none = await run(['tail', '-n', '2', '-o', 'ndjson', '--event', idOf(3)]);
  expect(idsIn(none.stdout)).toEqual(UNREADABLE.slice(1));
});

test('writes the unreadable ones whole where it is told to, for the owner alone, and over nothing', async () => {
  const file = join(scene.folder, 'raw.ndjson');
  expect(await run(['tail', '-n', '3', '--raw', file])).toMatchObject({ exitCode: 5 });
  const [first, second] = objects(readFileSync(file, 'utf8'));
  expect(Buffer.from(String(first?.value), 'base64').toString()).toBe(`{"nome":"${CANARY}"}`);
  expect(second).toMatchObject({ topic: scene.topic, partition: 0, offset: 26, key: null, value: null, headers: [] });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const again = await run(['tail', '--raw', file]);
  expect(again).toMatchObject({ exitCode: 3, stdout: '' });
  expect(again.stderr).toMatch(/CONFIG_INVALID.*--raw .*not there yet/);
});

describe('on a terminal', () => {
  const masked = (text: string): string =>
    text
      .replaceAll(scene.topic, 'session-events')
      .replaceAll(/20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, (time) =>
        time.startsWith('2026-11-30') ? time : '(record time)',
      );
  goldenScreens('tail', (flags, columns) => runCli([...flags, 'tail', '-n', '8'], { columns, env: scene.env }), {
    mask: masked,
  });
});

const following = async (args: readonly string[] = []): Promise<RunningProcess> => {
  const tail = scene.start(['tail', '-f', '-n', '2', '-o', 'ndjson', ...args]);
  await waitFor('the last record of the topic to be shown', () => tail.stdout().includes('TRAILING_BYTES'), {
    seen: tail.stderr,
  });
  return tail;
};

test('goes on with what arrives, once each, though the sink stores it meanwhile, until Ctrl-C', async () => {
  // Several at once: each has all of it.
  const [one, two] = await Promise.all([following(), following()]);
  const sink = scene.consume('sink');
  await publish(23, 10);
  await caughtUp(scene.databaseFile, 'sink', await endsOf(scene.topic), sink.stderr);
  await publish(33, 2);
  const expected = [
    idOf(19),
    idOf(20),
    idOf(21),
    idOf(22),
    ...UNREADABLE,
    ...deviationsFrom(23, 12).map(({ event }) => event.eventId),
  ];
  for (const tail of [one, two]) {
    await waitFor('the last event to be shown', () => tail.stdout().includes(idOf(34)), { seen: tail.stderr });
    tail.kill('SIGINT');
  }
  for (const ended of await Promise.all([one.ended(), two.ended()])) {
    expect(ended.code).toBe(130);
    expect(idsIn(ended.stdout)).toEqual(expected);
    expect(ended.stderr).toBe('deviations: not shown: 1 of other types, 2 repeated\n');
  }
  sink.kill('SIGTERM');
  expect(await sink.ended()).toMatchObject({ code: 0 });
});

test('says what it cannot reach, and ends with 4', async () => {
  const missing = await run(['tail', '--topic', `${scene.topic}-no-such`]);
  expect(missing).toMatchObject({ exitCode: 4, stdout: '' });
  expect(missing.stderr).toMatch(/TOPIC_MISSING.*deviations topic create/);
  const unmade = await run(['tail', '--database', `sqlite:${join(scene.folder, 'none.db')}`]);
  expect(unmade).toMatchObject({ exitCode: 4, stdout: '' });
  expect(unmade.stderr).toMatch(/DATABASE_NOT_MIGRATED.*deviations migrate/);
});
