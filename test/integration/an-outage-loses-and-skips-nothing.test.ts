/** Broker, registry or database away for a while, idle or busy: the sink waits, comes back by itself, and has lost nothing. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { migrate } from '../../consumer/index.ts';
import { type Server, startBroker, startRegistry } from '../../stack/index.ts';
import { type OwnDatabase, type OwnPostgres, startPostgres } from '../support/embedded-postgres.ts';
import { writeTo } from '../support/foreign-writer.ts';
import { linesOf, REPOSITORY, type RunningProcess } from '../support/processes.ts';
import { deviationsFrom, projectablesFrom, recordsOf } from '../support/stack-events.ts';
import { enterScene, type Scene } from '../support/stack-scene.ts';
import { endsOf } from '../support/topics.ts';
import { waitFor } from '../support/wait-for.ts';

const KIND = process.env['TEST_STACK_KIND'];
const ownKind = KIND === 'docker' || KIND === 'local' ? KIND : undefined;
if (ownKind === undefined) {
  process.stderr.write('an-outage-loses-and-skips-nothing: skipped, servers that were given are not taken away\n');
}
const describeIt = ownKind === undefined ? describe.skip : describe;

const SINK = join(REPOSITORY, 'test', 'support', 'sink-with-a-short-session.ts');
const SESSION_TIMEOUT_MS = 1_500;
const START_LIMIT_MS = 120_000;
const WAVE = 2_000;

let scene: Scene;
let broker: Server;
let registry: Server;
let server: OwnPostgres;
let database: OwnDatabase;
let sink: RunningProcess;

beforeAll(async () => {
  if (ownKind === undefined) return;
  const wish = { environment: process.env, say: () => {} };
  [broker, registry, server] = await Promise.all([
    startBroker(ownKind, wish),
    startRegistry(ownKind, wish),
    startPostgres(),
  ]);
  // What the scene and its helpers talk to; this file's own copy of the environment.
  process.env['TEST_KAFKA_BROKERS'] = broker.address;
  process.env['TEST_SCHEMA_REGISTRY_URL'] = registry.address;
  scene = await enterScene('an-outage', { partitions: 2 });
  database = await server.createDatabase();
  await migrate({ url: database.url });
  sink = startSink();
  await sink.logged('claimed a partition');
}, START_LIMIT_MS);

afterAll(async () => {
  if (ownKind === undefined) return;
  await scene.leave();
  await Promise.all([broker.stop(), registry.stop(), server.remove()]);
}, START_LIMIT_MS);

const startSink = (): RunningProcess =>
  scene.startScript(SINK, [scene.groups.sink, String(SESSION_TIMEOUT_MS)], { DATABASE_URL: database.url });

let published = 0;
let others = 0;
const publish = async (howMany = WAVE): Promise<void> => {
  await writeTo(scene.topic, await recordsOf(deviationsFrom(published + 1, howMany)));
  published += howMany;
};

/** How many lines of the log say this by now, to wait for the next one. */
const said = (...words: readonly string[]): number =>
  sink.log().filter(({ msg }) => words.includes(String(msg))).length;

const saysAgain = async (before: number, ...words: readonly string[]): Promise<void> => {
  await waitFor(`the sink to say ${words.join(' or ')}`, () => said(...words) > before, { seen: sink.stderr });
};

const everythingIsStored = async (): Promise<void> => {
  const ends = await endsOf(scene.topic);
  await waitFor(
    'the positions to be the ends of the log',
    async () => {
      const rows = await database.select('select partition, next_offset from stream_positions');
      const at = new Map(rows.map((row) => [Number(row.partition), String(row.next_offset)]));
      return [...ends].every(([partition, end]) => end === 0n || at.get(partition) === String(end));
    },
    { limitMs: 45_000, seen: sink.stderr },
  );
  const [counters] = await database.select(
    `select sum(stored) as stored, sum(duplicate) as duplicate, sum(filtered) as filtered,
      sum(quarantined) as quarantined from stream_positions`,
  );
  expect(counters).toEqual({
    stored: String(published),
    duplicate: '0',
    filtered: String(others),
    quarantined: '0',
  });
  expect(await database.select('select id from session_events order by id')).toEqual(
    deviationsFrom(1, published).map(({ event }) => ({ id: event.eventId })),
  );
  expect(sink.isRunning()).toBe(true);
};

describeIt('taken away and given back', () => {
  test('the database, while idle', async () => {
    await publish();
    await everythingIsStored();
    await server.stopServer();
    await server.startServer();
    await publish();
    await everythingIsStored();
  });

  test('the database, while busy', async () => {
    const before = said('holds');
    await publish();
    await server.stopServer();
    await publish();
    await saysAgain(before, 'holds');
    await server.startServer();
    await publish();
    await everythingIsStored();
  });

  test('the broker, while busy; who watches hears of it, and misses nothing', async () => {
    const before = said('holds', 'left the group after an error, rejoins');
    const first = published + 1;
    const watching = scene.start(['tail', '-f', '-n', '0', '-o', 'ndjson'], { DATABASE_URL: database.url });
    const hears = (what: string): Promise<unknown> =>
      waitFor(`the tail to say ${what}`, () => watching.stderr().includes(what), { seen: watching.stderr });
    const shows = (howMany: number): Promise<unknown> =>
      waitFor(`the tail to show ${howMany} events`, () => linesOf(watching.stdout()).length >= howMany, {
        seen: watching.stderr,
      });
    await publish(10);
    await shows(10);
    await publish();
    await broker.kill();
    await hears('the broker does not answer');
    await saysAgain(before, 'holds', 'left the group after an error, rejoins');
    await broker.restart();
    await publish();
    await hears('it answers again, goes on where it was');
    await everythingIsStored();
    await shows(published + 1 - first);
    watching.kill('SIGINT');
    const { stdout, code } = await watching.ended();
    expect(code).toBe(130);
    const shown = linesOf(stdout).map((line) => String((JSON.parse(line) as { eventId: unknown }).eventId)); // ndjson
    expect(shown.toSorted()).toEqual(deviationsFrom(first, published + 1 - first).map(({ event }) => event.eventId));
  });

  test('the registry, just when a schema id comes that was never seen: it is waited for, not taken for unknown', async () => {
    const records = await recordsOf([...projectablesFrom(900_001, 20), ...deviationsFrom(published + 1, WAVE)]);
    await registry.pause();
    const before = said('holds');
    await writeTo(scene.topic, records);
    others += 20;
    published += WAVE;
    await saysAgain(before, 'holds');
    await registry.resume();
    await everythingIsStored();
  });

  test('a stop ends within its limit though the database is frozen, and nothing is lost by it', async () => {
    server.freeze();
    try {
      await publish();
      sink.kill('SIGTERM');
      expect(await sink.ended()).toMatchObject({ code: 0 });
    } finally {
      server.thaw();
    }
    sink = startSink();
    await everythingIsStored();
  });
});
