/**
 * Records of a hand-made writer, with marks in every field, header name, header value and key, and in the schemas that
 * they are written by: the consumers keep, log and list none of them.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createLog } from '../../cli/log.ts';
import { createSinkJudge, type Judge, runConsumer } from '../../consumer/index.ts';
import { AGENT_DEVIATION } from '../../schemas/index.ts';
import { createRegistry, QUARANTINE_REASONS, registeredId } from '../../wire/index.ts';
import { startConsumers } from '../support/canary-consumers.ts';
import { CATALOGUE } from '../support/canary-draft.ts';
import { FOREIGN_KINDS, foreignRecord, type WriterIds, writerTexts } from '../support/canary-foreign.ts';
import { createSink } from '../support/canary-io.ts';
import { bareCall } from '../support/canary-paths.ts';
import type { CanaryCall } from '../support/canary-call.ts';
import { noisyEnv, search } from '../support/canary-stack.ts';
import { filesOf, listingsOf, tablesOf, topicOf } from '../support/canary-surfaces.ts';
import { Tally } from '../support/canary-tally.ts';
import { writeTo } from '../support/foreign-writer.ts';
import { deviations } from '../support/processes.ts';
import { runCli } from '../support/run-cli.ts';
import { caughtUp, countersOf, select } from '../support/stack-database.ts';
import { registerText } from '../support/stack-registry.ts';
import { enterScene, type Scene } from '../support/stack-scene.ts';
import { endsOf, registryUrl } from '../support/topics.ts';

const SEED = 77;
const ROUNDS = 3;
const UNKNOWN_ID = 2_000_000_000;
const LIMIT_MS = 180_000;

let scene: Scene;
let env: Readonly<Record<string, string>>;
const calls: CanaryCall[] = [];
const listed = (database: Readonly<Record<string, string>>) =>
  listingsOf(
    (args) => deviations(args, { env: { ...env, ...database }, cwd: scene.folder }),
    [['query'], ['position', 'show']],
  );

/** Registered under subjects of their own, so that nobody else's are touched; their words are marks too. */
const registerWriters = async (): Promise<WriterIds> => {
  const call = bareCall(SEED, 0);
  const texts = writerTexts(call.plant.bare('schema').slice(1), call.plant.text('schema'));
  calls.push(call);
  const run = randomUUID();
  const register = (writer: keyof typeof texts): Promise<number> =>
    registerText(`strangers-${writer}-${run}`, texts[writer]);
  return {
    ours: await registeredId(createRegistry({ url: registryUrl() }), AGENT_DEVIATION),
    wider: await register('wider'),
    tomorrows: await register('tomorrows'),
    foreignContract: await register('foreignContract'),
    foreignType: await register('foreignType'),
    unknown: UNKNOWN_ID,
  };
};

const writeAll = async (): Promise<void> => {
  const ids = await registerWriters();
  const records = Array.from({ length: ROUNDS }, () => FOREIGN_KINDS)
    .flat()
    .map((kind, at) => {
      const call = bareCall(SEED, at + 1);
      calls.push(call);
      return foreignRecord(kind, ids, call.plant, call.random);
    });
  await writeTo(
    scene.topic,
    records.map(({ key, value, headers }) => ({ key: key?.toString('utf8') ?? null, value, headers: { ...headers } })),
  );
};

beforeAll(async () => {
  scene = await enterScene('foreign-writers', { partitions: 2 });
  env = noisyEnv(scene);
  await writeAll();
}, LIMIT_MS);
afterAll(() => scene.leave());

test('every record has its mark on the topic', async () => {
  const tally = new Tally();
  const written = calls.slice(1);
  const topic = (await topicOf(scene)).map(({ text }) => Buffer.from(text as string).toString('latin1')).join('\n');
  for (const call of written) tally.search(call, 'topic', topic);
  expect(tally.hits.map(({ call }) => call)).toEqual(written.map(({ number }) => number));
});

describe('both consumers', () => {
  let tally: Tally;
  beforeAll(async () => {
    const consumers = await startConsumers(scene, env);
    await consumers.caughtUp();
    const running = [...filesOf(scene.folder), ...(await consumers.pages())];
    const logs = await consumers.stop();
    tally = new Tally();
    const tables = { name: 'tables', text: tablesOf(scene.databaseFile) };
    search([...running, ...filesOf(scene.folder), tables, ...logs, ...(await listed({}))], calls, tally);
  }, LIMIT_MS);

  test('keep, log and list no mark', () => {
    expect(tally.hits).toEqual([]);
    const filled = [...tally.searched].filter(([, length]) => length > 0).map(([name]) => name);
    expect(filled).toEqual(
      expect.arrayContaining([
        'file session-events.db',
        'tables',
        '/metrics of sink',
        'log of sink',
        'log of graph',
        'query',
      ]),
    );
  });

  test('had all of the records, stored the right ones and pointed at the wrong ones, for nearly every reason', () => {
    const counters = countersOf(scene.databaseFile, 'sink');
    const all = Object.values(counters).reduce((sum, one) => sum + Number(one), 0);
    expect(all).toBe(ROUNDS * FOREIGN_KINDS.length);
    // Right but for its headers; with a further field.
    expect(counters.stored).toBe(2 * ROUNDS);
    const reasons = select(scene.databaseFile, 'select distinct reason from quarantine').map(({ reason }) => reason);
    // These two come from the table, and `a-record-twice` and others are about them.
    const missing = QUARANTINE_REASONS.filter((reason) => !reasons.includes(reason));
    expect(missing).toEqual(['HASH_CLASH', 'ROW_REFUSED']);
  });
});

test('the tools that read the topic again print no mark, in any form; the file that is asked for has them', async () => {
  const raw = join(scene.folder, 'raw.ndjson');
  // Nothing was read into it, so that all of the topic arrives.
  const { env: empty } = await scene.anotherDatabase('nothing-read');
  const asked = [
    ['tail', '-n', '1000', '--raw', raw],
    ['quarantine', 'list'],
    ['quarantine', 'show', '--since', '1d'],
    ['quarantine', 'retry', '--all'],
    ['verify'],
  ];
  // One of the records has an id that the registry must be asked for three times within its grace period.
  const searched = await Promise.all(
    (['ndjson', 'tsv', 'table'] as const).flatMap((format, at) =>
      asked.map(async (args) => {
        const flags = at === 0 ? args : args.filter((arg) => arg !== '--raw' && arg !== raw);
        const ran = await runCli([...flags, '-o', format], { env: args[0] === 'tail' ? { ...env, ...empty } : env });
        // An id is shown whoever made it, and some of these hold a mark's digits: their grammar is what keeps text out.
        const text = (ran.stdout + ran.stderr).replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '(id)');
        return { name: `${args.slice(0, 2).join(' ')} ${format} ${ran.exitCode}`, text };
      }),
    ),
  );
  const tally = new Tally();
  search(searched, calls, tally);
  expect(tally.hits).toEqual([]);
  expect(searched.filter(({ text }) => text.length < 100)).toEqual([]);
  expect(searched.map(({ name }) => name)).toContain('tail -n ndjson 5');
  const written = readFileSync(raw, 'utf8').replaceAll(/"([A-Za-z0-9+/]{8,}={0,2})"/g, (_, text: string) =>
    Buffer.from(text, 'base64').toString('latin1'),
  );
  const found = new Tally();
  search([{ name: 'raw', text: written }], calls, found);
  expect(found.hits.length).toBeGreaterThan(0);
}, 60_000);

test(
  'a sink that leaks is caught in its rows, its quarantine, its file, its log and its listings',
  async () => {
    const { file, env: database } = await scene.anotherDatabase('leaking');
    const group = `${scene.topic}-leaking`;
    scene.alsoRemove({ groups: [group] });
    const stderr = createSink();
    const log = createLog('debug', stderr.stream);
    const right = createSinkJudge({ agents: new Set(CATALOGUE) });
    const leaking: Judge = {
      ...right,
      judge: (record, contracts) => {
        log.debug('judged', { where: JSON.stringify(record.headers) });
        const judged = right.judge(record, contracts);
        if (judged.kind === 'row') {
          const event = { ...judged.row.event, agente: String(record.headers['ce_agente']) };
          return { ...judged, row: { ...judged.row, event } };
        }
        if (judged.kind !== 'quarantined') return judged;
        // Broken on purpose: a reason is a word of the closed list.
        return {
          ...judged,
          pointer: { ...judged.pointer, reason: (record.key?.toString('hex') ?? 'no key') as never },
        };
      },
    };
    const stop = new AbortController();
    const running = runConsumer(
      {
        consumer: 'sink',
        judge: leaking,
        kafka: scene.kafka,
        registry: { url: registryUrl() },
        database: { url: `sqlite:${file}` },
        topic: scene.topic,
        group,
        log,
      },
      stop.signal,
    );
    try {
      await caughtUp(file, 'sink', await endsOf(scene.topic), () => stderr.text());
    } finally {
      stop.abort();
      await running;
    }
    const caughtIn = (name: string, text: string | Uint8Array): boolean => {
      const tally = new Tally();
      search([{ name, text }], calls, tally);
      return tally.hits.length > 0;
    };
    const rowsOf = (table: string): string =>
      JSON.stringify(select(file, `select * from ${table}`), (_, value: unknown) =>
        typeof value === 'bigint' ? String(value) : value,
      );
    expect(caughtIn('rows', rowsOf('session_events'))).toBe(true);
    expect(caughtIn('quarantine', rowsOf('quarantine'))).toBe(true);
    expect(caughtIn('tables', tablesOf(file))).toBe(true);
    const bytes = filesOf(scene.folder).filter(({ name }) => name === 'file leaking.db');
    expect(bytes.map(({ name, text }) => caughtIn(name, text))).toEqual([true]);
    expect(caughtIn('log', stderr.text())).toBe(true);
    const listings = (await listed(database)).filter(({ name }) => name === 'query');
    expect(listings.map(({ name, text }) => caughtIn(name, text))).toEqual(listings.map(() => true));
  },
  LIMIT_MS,
);
