/**
 * `quarantine list|show|retry|discard` on either store, beside a running sink: an event whose record is right by now is
 * stored exactly once, whoever else meets it; what is wrong stays, and what is gone is said to be.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { migrate, openReader } from '../../consumer/index.ts';
import type { AgentDeviation } from '../../schemas/index.ts';
import { aFact, SESSION } from '../support/builders.ts';
import { type OwnPostgres, startPostgres } from '../support/embedded-postgres.ts';
import { readTopic } from '../support/foreign-reader.ts';
import { type ForeignMessage, writeTo } from '../support/foreign-writer.ts';
import { linesOf, type RunningProcess } from '../support/processes.ts';
import { type Ran, runCli } from '../support/run-cli.ts';
import { goldenScreens } from '../support/screens.ts';
import { select } from '../support/stack-database.ts';
import { deviationNo, recordsOf } from '../support/stack-events.ts';
import { enterScene, type Scene } from '../support/stack-scene.ts';
import { asAdmin, createTopic, endsOf } from '../support/topics.ts';
import { waitFor } from '../support/wait-for.ts';

/** Must be nowhere but on the topic, and in the file that was asked for. */
const CANARY = 'canary-quarantine-5e1d';
const MANY = 30;
/** An agent that the catalogue gets to know only later. */
const NEWCOMER = 'recem-chegado';

let scene: Scene;
let server: OwnPostgres;
beforeAll(async () => {
  [scene, server] = await Promise.all([enterScene('once-it-is-right', { partitions: 1 }), startPostgres()]);
});
afterAll(async () => {
  await scene.leave();
  await server.remove();
});

const messagesOf = async (events: readonly AgentDeviation[]): Promise<readonly ForeignMessage[]> =>
  (await recordsOf(events.map((event) => ({ type: 'anamnese.agent_deviation', event })))).map(
    ({ key, value, headers }) => ({ key, value, headers: { ...headers } }),
  );
const numbers = (count: number, from = 1): readonly number[] => Array.from({ length: count }, (_, at) => from + at);
const newcomers = numbers(MANY).map((n) => ({ ...deviationNo(n), agente: NEWCOMER }));
const known = numbers(MANY, MANY + 1).map((n) => deviationNo(n));
const objects = (text: string): readonly Record<string, unknown>[] =>
  linesOf(text).map((line) => JSON.parse(line) as Record<string, unknown>); // lines of ndjson

describe.each(['SQLite', 'PostgreSQL'] as const)('on %s', (storeName) => {
  let url: string;
  let topic: string;
  let group: string;
  let catalogues: { readonly old: string; readonly new: string };
  let sink: RunningProcess;

  const env = (catalogue: 'old' | 'new' = 'new') => ({
    ...scene.env,
    DATABASE_URL: url,
    SESSION_EVENTS_TOPIC: topic,
    AGENTS_FILE: catalogues[catalogue],
  });
  const run = (args: readonly string[], catalogue?: 'old' | 'new'): Promise<Ran> =>
    runCli(['quarantine', ...args], { env: env(catalogue) });
  const startSink = (catalogue: 'old' | 'new'): RunningProcess =>
    scene.start(['sink', '--group', group], env(catalogue));
  const asked = async <T>(question: (reader: ReturnType<typeof openReader>) => Promise<T>): Promise<T> => {
    const reader = openReader({ url });
    try {
      return await question(reader);
    } finally {
      await reader.close();
    }
  };
  const caughtUp = async (): Promise<void> => {
    const end = (await endsOf(topic)).get(0);
    await waitFor(
      'the sink to reach the end of the log',
      async () => (await asked((reader) => reader.positions(topic)))[0]?.position === end,
      { seen: sink.stderr },
    );
  };
  const entries = (states: readonly ('open' | 'resolved' | 'discarded')[]) =>
    asked((reader) => reader.quarantine(topic, { states }));

  beforeAll(async () => {
    topic = `${scene.topic}-${storeName.toLowerCase()}`;
    group = `${topic}-sink`;
    scene.alsoRemove({ topics: [topic], groups: [group] });
    url =
      storeName === 'SQLite' ? `sqlite:${join(scene.folder, `${storeName}.db`)}` : (await server.createDatabase()).url;
    catalogues = { old: join(scene.folder, 'old.txt'), new: join(scene.folder, 'new.txt') };
    writeFileSync(catalogues.old, 'desenvolvedor\n');
    writeFileSync(catalogues.new, `desenvolvedor\n${NEWCOMER}\n`);
    await migrate({ url });
    await createTopic(topic, 1);
    const [late, early] = [await messagesOf(newcomers), await messagesOf(known)];
    const [misplaced] = await messagesOf([deviationNo(100)]);
    await writeTo(topic, [
      ...late.flatMap((message, at) => [message, ...early.slice(at, at + 1)]),
      { key: CANARY, value: Buffer.from(`{"nome":"${CANARY}"}`), headers: { [CANARY]: CANARY } },
      { key: SESSION, value: misplaced?.value ?? null, headers: { ...misplaced?.headers } },
    ]);
    sink = startSink('old');
    await caughtUp();
  });
  afterAll(async () => {
    sink.kill('SIGTERM');
    await sink.ended();
  });

  const NOT_FRAMED = `0/${2 * MANY}`;
  const KEY_DISAGREES = `0/${2 * MANY + 1}`;

  test('lists what was set aside, by reason, place and time', async () => {
    const all = await run(['list', '-o', 'ndjson']);
    expect(all).toMatchObject({ exitCode: 0, stderr: '' });
    expect(objects(all.stdout)).toHaveLength(MANY + 2);
    const some = await run(['list', '--reason', 'NOT_FRAMED,KEY_DISAGREES', '--consumer', 'sink', '--since', '1h']);
    expect(linesOf(some.stdout).map((line) => line.split('\t').slice(0, 4))).toEqual([
      [NOT_FRAMED, 'NOT_FRAMED', 'sink', 'open'],
      [KEY_DISAGREES, 'KEY_DISAGREES', 'sink', 'open'],
    ]);
    expect(await run(['list', '--state', 'resolved', '--fail-if-empty'])).toMatchObject({ exitCode: 6, stdout: '' });
    expect(await run(['list', '--reason', 'NOT_FRMED'])).toMatchObject({ exitCode: 2 });
    expect(await run(['retry'])).toMatchObject({ exitCode: 2 });
    expect(await run(['discard', '--all', '--reason', 'NOT_FRAMED'])).toMatchObject({ exitCode: 2 });
  });

  test('shows what a record is by now, never what a stranger wrote, and changes nothing', async () => {
    const file = join(scene.folder, `${storeName}.ndjson`);
    const bad = await run(['show', NOT_FRAMED, '-o', 'ndjson', '--raw', file]);
    expect(bad).toMatchObject({ exitCode: 5, stderr: '' });
    expect(objects(bad.stdout)).toMatchObject([
      {
        offset: 2 * MANY,
        record: { found: 'there', now: 'NOT_FRAMED', key: null, event: null },
        _headers: {},
        _otherHeaders: 1,
      },
    ]);
    expect(bad.stdout).not.toContain(CANARY);
    expect(Buffer.from(String(objects(readFileSync(file, 'utf8'))[0]?.key), 'base64').toString()).toBe(CANARY);
    const [misplaced] = objects((await run(['show', KEY_DISAGREES, '-o', 'ndjson'])).stdout);
    expect(misplaced).toMatchObject({
      record: {
        now: 'KEY_DISAGREES',
        key: SESSION,
        event: { type: 'anamnese.agent_deviation', eventId: deviationNo(100).eventId },
      },
    });
    expect(objects((await run(['show', '0/0', '-o', 'ndjson'], 'old')).stdout)).toMatchObject([
      { record: { now: 'AGENTE_UNKNOWN' } },
    ]);
    const right = await run(['show', '0/0', '-o', 'ndjson']);
    expect(right.exitCode).toBe(0);
    expect(objects(right.stdout)).toMatchObject([
      { state: 'open', attempts: 1, record: { now: 'right', event: { agente: NEWCOMER } } },
    ]);
  });

  if (storeName === 'SQLite') {
    describe('on a terminal', () => {
      const masked = (text: string): string =>
        text.replaceAll(/20\d\d-\d\d-\d\d(T\d\d:\d\d:\d\d\.\d{3}| \d\d:\d\d)Z/g, (time) =>
          time.startsWith('2026-11-30') ? time : `(time)${' '.repeat(time.length - 6)}`,
        );
      goldenScreens(
        'quarantine-list',
        (flags, columns) =>
          runCli([...flags, 'quarantine', 'list', '--reason', 'NOT_FRAMED,KEY_DISAGREES'], { columns, env: env() }),
        { mask: masked },
      );
      goldenScreens(
        'quarantine-show',
        (flags, columns) => runCli([...flags, 'quarantine', 'show', KEY_DISAGREES], { columns, env: env() }),
        { mask: masked },
      );
    });
  }

  test('counts one more attempt on what is wrong still', async () => {
    const ran = await run(['retry', '--reason', 'AGENTE_UNKNOWN', '-o', 'ndjson'], 'old');
    expect(ran).toMatchObject({
      exitCode: 5,
      stderr: `deviations: ${MANY} of ${MANY} read again, 0 settled, ${MANY} not\n`,
    });
    expect(objects(ran.stdout)[0]).toMatchObject({ offset: 0, outcome: 'wrong', reason: 'AGENTE_UNKNOWN' });
    expect((await entries(['open'])).filter(({ attempts }) => attempts === 2)).toHaveLength(MANY);
  });

  test('stores each exactly once, by two retries at once, beside a sink that meets the same events again', async () => {
    sink.kill('SIGTERM');
    await sink.ended();
    sink = startSink('new');
    await sink.logged('claimed a partition');
    const retry = ['quarantine', 'retry', '--reason', 'AGENTE_UNKNOWN', '-o', 'ndjson'];
    const [, one, two] = await Promise.all([
      writeTo(topic, await messagesOf(newcomers.toReversed())),
      scene.run(retry, '', env()),
      scene.run(retry, '', env()),
    ]);
    await caughtUp();
    expect([one.code, two.code]).toEqual([0, 0]);
    const outcomes = [...objects(one.stdout), ...objects(two.stdout)].map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => !['stored', 'duplicate', 'resolved-before'].includes(String(outcome)))).toEqual(
      [],
    );
    const ids = (await asked((reader) => reader.deviations({}))).map(({ eventId }) => eventId);
    expect(ids.toSorted()).toEqual([...newcomers, ...known].map(({ eventId }) => eventId).toSorted());
    expect(await entries(['resolved'])).toHaveLength(MANY);
    // What the sink counted is what it met; what a retry stored is in no counter of a position.
    const [row] = await asked((reader) => reader.positions(topic));
    expect(row?.counts).toMatchObject({ quarantined: MANY + 2, filtered: 0 });
    expect((row?.counts.stored ?? 0) + (row?.counts.duplicate ?? 0)).toBe(2 * MANY);
    const byRetries = outcomes.filter((outcome) => outcome === 'stored').length;
    expect(byRetries + (row?.counts.stored ?? 0)).toBe(2 * MANY);
  });

  test('gives up what nobody wants, and says what retention took', async () => {
    expect(await run(['discard', NOT_FRAMED])).toMatchObject({ exitCode: 0, stderr: 'deviations: 1 discarded\n' });
    expect(await run(['discard', NOT_FRAMED])).toMatchObject({ exitCode: 0, stderr: 'deviations: 0 discarded\n' });
    expect((await entries(['open'])).map(({ reason }) => reason)).toEqual(['KEY_DISAGREES']);
    await asAdmin(async (admin) => {
      await admin.fetchTopicOffsets(topic);
      await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: String(2 * MANY + 2) }] });
    });
    const gone = await run(['retry', '--all', '-o', 'ndjson']);
    expect(gone.exitCode).toBe(5);
    expect(objects(gone.stdout)).toMatchObject([{ offset: 2 * MANY + 1, outcome: 'deleted' }]);
    expect((await run(['show', KEY_DISAGREES])).stdout).toContain('discard the entry');
  });
});

test('a graph entry becomes changes of the graph, and a record of a topic made anew is left alone', async () => {
  const { file, env: database } = await scene.anotherDatabase('graph');
  const [fact] = await recordsOf([{ type: 'anamnese.fact_accepted', event: aFact() }]);
  await writeTo(scene.topic, [{ key: fact?.key ?? null, value: fact?.value ?? null, headers: { ...fact?.headers } }]);
  const [record] = await readTopic(scene.topic);
  const time = new Date(record?.timeMs ?? 0).toISOString();
  const byHand = new DatabaseSync(file);
  const insert = byHand.prepare(
    `insert into quarantine (consumer, topic, partition, log_offset, reason, size, record_time, first_seen_at,
       last_seen_at, attempts, state) values (?, ?, 0, 0, 'SCHEMA_UNKNOWN', ?, ?, ?, ?, 1, 'open')`,
  );
  insert.run('graph', scene.topic, fact?.value.length ?? 0, time, time, time);
  // Of another size: not the record that was there when this was noted.
  insert.run('sink', scene.topic, 7, time, time, time);
  byHand.close();
  const ran = await runCli(['quarantine', 'retry', '--all', '-o', 'ndjson'], { env: { ...scene.env, ...database } });
  expect(ran.exitCode).toBe(5);
  const outcomes = objects(ran.stdout).map(({ consumer, outcome }) => `${String(consumer)} ${String(outcome)}`);
  expect(outcomes.toSorted()).toEqual(['graph stored', 'sink another']);
  expect(select(file, 'select count(*) as nodes from graph_nodes')).toEqual([{ nodes: 2 }]);
  expect(select(file, 'select consumer, state from quarantine order by consumer')).toEqual([
    { consumer: 'graph', state: 'resolved' },
    { consumer: 'sink', state: 'open' },
  ]);
});
