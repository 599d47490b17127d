/** Every printed command is run as it is, by bash, and its answer is the one of `deviations query`. */
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { migrate, openStore } from '../../consumer/index.ts';
import { aFlush, aPointer, aRow } from '../contract/flushes.ts';
import { type OwnPostgres, startPostgres } from '../support/embedded-postgres.ts';
import { unless } from '../support/faults-places.ts';
import { linesOf } from '../support/processes.ts';
import { putKafkaScripts, whyNoKafkaScripts, whyNot } from '../support/recipe-tools.ts';
import { runCli } from '../support/run-cli.ts';
import { caughtUp, count } from '../support/stack-database.ts';
import { deviationNo, deviationsFrom, projectablesFrom, recordsOf } from '../support/stack-events.ts';
import { enterScene, type Scene } from '../support/stack-scene.ts';
import { endsOf, foreignKafka } from '../support/topics.ts';

const DEVIATIONS = 47;
const SESSION = deviationNo(3).sessionId;

interface Event {
  readonly eventId: string;
  readonly occurredAt: string;
  readonly tipo: string;
  readonly agente: string;
}

let scene: Scene;
let postgres: OwnPostgres;
/** The environment of whoever pastes; the folder of Kafka's scripts is on its path. */
let pasting: NodeJS.ProcessEnv;

beforeAll(async () => {
  scene = await enterScene('recipes', { partitions: 3 });
  const producer = foreignKafka().producer();
  await producer.connect();
  const events = [...deviationsFrom(1, DEVIATIONS), ...projectablesFrom(900, 20)];
  const messages = (await recordsOf(events)).map((one) => ({ ...one, headers: { ...one.headers } }));
  // A stranger's record, whose header says ours in its value, and one that is no event at all.
  messages.push({ key: 'x', value: Buffer.from('{}'), headers: { note: 'ce_type is\u001b[31m not ours' } as never });
  await producer.send({ topic: scene.topic, messages });
  await producer.disconnect();
  const [sink, graph] = [scene.consume('sink'), scene.consume('graph')];
  await caughtUp(scene.databaseFile, 'sink', await endsOf(scene.topic), sink.stderr);
  await caughtUp(scene.databaseFile, 'graph', await endsOf(scene.topic), graph.stderr);

  const scripts = join(scene.folder, 'kafka-scripts');
  mkdirSync(scripts);
  putKafkaScripts(scripts);
  pasting = { ...process.env, PATH: `${scripts}:${process.env['PATH']}`, HOME: scene.folder };
});

afterAll(async () => {
  await postgres?.remove();
  await scene.leave();
});

const paste = async (command: string): Promise<readonly string[]> => {
  try {
    return linesOf((await promisify(execFile)('bash', ['-c', command], { env: pasting, timeout: 50_000 })).stdout);
  } catch (error) {
    // What matters is what it printed: `grep -c` ends with 1 after a 0.
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    if (stderr !== '') throw new Error(`${command}\n${stderr}`);
    return linesOf(stdout);
  }
};

/** Runs all recipes of a tool side by side; answers the lines of each by its name. */
const pasteAll = async (
  tool: string,
  env: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, readonly string[]>> => {
  const groups = ['--sink-group', scene.groups.sink, '--graph-group', scene.groups.graph];
  const { stdout, exitCode } = await runCli(['recipes', tool, '-o', 'ndjson', '--session', SESSION, ...groups], {
    env,
  });
  expect(exitCode).toBe(0);
  const recipes = linesOf(stdout).map(
    (line) => JSON.parse(line) as { readonly name: string; readonly command: string },
  );
  return new Map(
    await Promise.all(
      recipes.map(async ({ name, command }): Promise<[string, readonly string[]]> => [name, await paste(command)]),
    ),
  );
};

const query = async (flags: readonly string[], env: Readonly<Record<string, string>>): Promise<readonly Event[]> => {
  const { stdout } = await runCli(['query', '-o', 'ndjson', ...flags], { env });
  return linesOf(stdout).map((line) => JSON.parse(line) as Event);
};

const countedBy = (events: readonly Event[], key: 'tipo' | 'agente'): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const event of events) counts[event[key]] = (counts[event[key]] ?? 0) + 1;
  return counts;
};

/** `  17 ce_tipo=laco` by `uniq -c`. */
const uniqCounts = (lines: readonly string[] = []): Readonly<Record<string, number>> =>
  Object.fromEntries(lines.map((line) => [line.replace(/^.*[=:]/, ''), Number.parseInt(line, 10)]));

/** `laco|17`. */
const sqlCounts = (lines: readonly string[] = []): Readonly<Record<string, number>> =>
  Object.fromEntries(lines.map((line) => [line.split('|')[0], Number(line.split('|')[1])]));

const byHeaders = async (answers: ReadonlyMap<string, readonly string[]>): Promise<void> => {
  const all = await query([], scene.env);
  expect(all).toHaveLength(DEVIATIONS);
  expect(answers.get('count')).toEqual([String(DEVIATIONS)]);
  expect(uniqCounts(answers.get('by-tipo'))).toEqual(countedBy(all, 'tipo'));
  expect(uniqCounts(answers.get('by-agente'))).toEqual(countedBy(all, 'agente'));
  const ofSession = await query(['--session', SESSION], scene.env);
  expect(ofSession.length).toBeGreaterThan(0);
  expect(answers.get('session')).toEqual([String(ofSession.length)]);
  const newest = (await query(['-n', '10'], scene.env)).map(
    ({ occurredAt, tipo, agente, eventId }) => `${occurredAt} ${tipo} ${agente} ${eventId}`,
  );
  expect(answers.get('last')).toEqual([...newest].reverse());
};

unless(
  whyNot('kcat', 'jq'),
  'the recipes of kcat',
  test,
)('kcat counts by the headers what query counts in the table', async () => {
  const answers = await pasteAll('kcat', scene.env);
  await byHeaders(answers);
  const ids = (answers.get('headers') ?? []).map((line) => (JSON.parse(line) as { readonly ce_id: string }).ce_id);
  expect(ids.sort()).toEqual((await query([], scene.env)).map(({ eventId }) => eventId).sort());
});

unless(
  whyNoKafkaScripts(),
  'the recipes of the console consumer',
  test,
)('so does the console consumer that comes with Kafka, and its scripts know the lag and the ends', async () => {
  const answers = await pasteAll('console', scene.env);
  await byHeaders(answers);
  const ends = [...(await endsOf(scene.topic))].map(([partition, end]) => `${scene.topic}:${partition}:${end}`);
  expect([...(answers.get('ends') ?? [])].sort()).toEqual(ends.sort());
  const lag = (answers.get('lag-sink') ?? []).filter((line) => line.startsWith(scene.groups.sink));
  // Partition, position, end, lag; a partition that was given no record has no line.
  expect(lag.map((line) => line.split(/\s+/)[5])).toEqual(lag.map(() => '0'));
  expect(lag.length).toBeGreaterThan(0);
  expect(answers.get('settings')?.join('\n')).toContain('message.timestamp.type=LogAppendTime');
});

unless(
  whyNot('kafkactl'),
  'the recipes of kafkactl',
  test,
)('so does kafkactl', async () => {
  await byHeaders(await pasteAll('kafkactl', scene.env));
});

const bySql = async (
  answers: ReadonlyMap<string, readonly string[]>,
  env: Readonly<Record<string, string>>,
): Promise<void> => {
  const all = await query([], env);
  expect(all.length).toBeGreaterThan(10);
  expect(answers.get('adr')).toHaveLength(all.length);
  expect(answers.get('count')).toEqual([String(all.length)]);
  expect(sqlCounts(answers.get('by-tipo'))).toEqual(countedBy(all, 'tipo'));
  expect(sqlCounts(answers.get('by-agente'))).toEqual(countedBy(all, 'agente'));
  const days = Object.values(sqlCounts(answers.get('by-day')));
  expect(days.reduce((sum, one) => sum + one, 0)).toBe(all.length);
  expect(answers.get('session')).toHaveLength((await query(['--session', SESSION], env)).length);
  expect(answers.get('last')?.map((line) => line.split('|').at(-1))).toEqual(
    (await query(['-n', '10'], env)).map(({ eventId }) => eventId),
  );
  expect(answers.get('evidence')?.length).toBeGreaterThan(0);
};

describe('a database', () => {
  unless(
    whyNot('sqlite3'),
    'the recipes of sqlite3',
    test,
  )('in a file answers sqlite3 what it answers query', async () => {
    const answers = await pasteAll('sqlite', scene.env);
    await bySql(answers, scene.env);
    expect(answers.get('quarantine')).toEqual(['graph|NOT_FRAMED|1', 'sink|NOT_FRAMED|1']);
    const positions = count(scene.databaseFile, 'select count(*) from stream_positions');
    expect(answers.get('positions')).toHaveLength(positions);
  });

  unless(
    whyNot('psql'),
    'the recipes of psql',
    test,
  )('that is a PostgreSQL answers psql what it answers query', async () => {
    postgres = await startPostgres();
    const { url } = await postgres.createDatabase();
    await migrate({ url });
    const store = await openStore({ url });
    const key = { consumer: 'sink', topic: scene.topic, partition: 0 } as const;
    const { epoch } = await store.claim(key);
    const rows = Array.from({ length: 20 }, (_, at) => aRow(at + 1, deviationNo(at + 1)));
    await store.flush({ ...aFlush(epoch, undefined, 30, { rows, quarantine: [aPointer(25)] }), ...key });
    await store.close();
    // The password is in the address of this server: a person would be asked for it.
    pasting = { ...pasting, PGPASSWORD: new URL(url).password };
    const env = { ...scene.env, DATABASE_URL: url };
    const answers = await pasteAll('psql', env);
    await bySql(answers, env);
    expect(answers.get('quarantine')).toEqual(['sink|NOT_FRAMED|1']);
  });
});
