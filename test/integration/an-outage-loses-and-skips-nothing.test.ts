/** Broker, registry or database away for a while, idle or busy: the sink waits, comes back by itself, and has lost nothing. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { migrate } from '../../consumer/index.ts';
import { type Server, startBroker, startRegistry } from '../../stack/index.ts';
import { type OwnDatabase, type OwnPostgres, startPostgres } from '../support/embedded-postgres.ts';
import { framed, writeTo } from '../support/foreign-writer.ts';
import { strangeLines } from '../support/log-lines.ts';
import { linesOf, REPOSITORY, type RunningProcess } from '../support/processes.ts';
import { deviationsFrom, recordsOf } from '../support/stack-events.ts';
import { registerStrangersType } from '../support/stack-registry.ts';
import { enterScene, type Scene } from '../support/stack-scene.ts';
import { committedOf, endsOf } from '../support/topics.ts';
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
/** The first wait of a hold is this, give or take a half. */
const FIRST_WAIT_MS = 200;

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
let wrong = 0;
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
    quarantined: String(wrong),
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

  test('the database, ten times for a moment, with good spells between: each wait begins as short as the first', async () => {
    const claims = said('claimed a partition');
    for (let time = 1; time <= 10; time += 1) {
      const before = said('holds');
      await publish(20);
      await server.stopServer();
      await publish(20);
      await saysAgain(before, 'holds');
      await server.startServer();
      await publish(20);
      await everythingIsStored();
      const first = sink.log().filter(({ msg }) => msg === 'holds')[before];
      expect(first?.['waitMs']).toBeLessThanOrEqual(1.5 * FIRST_WAIT_MS);
    }
    expect(said('claimed a partition')).toBe(claims);
  });

  test('the broker, while busy; who watches hears of it, and misses nothing', async () => {
    const before = said('holds', 'left the group after an error, rejoins');
    const watching = scene.start(['tail', '-f', '-n', '0', '-o', 'ndjson'], { DATABASE_URL: database.url });
    const hears = (what: string): Promise<unknown> =>
      waitFor(`the tail to say ${what}`, () => watching.stderr().includes(what), { seen: watching.stderr });
    const shown = (): readonly string[] =>
      linesOf(watching.stdout()).map((line) => String((JSON.parse(line) as { eventId: unknown }).eventId)); // ndjson
    // It shows what comes after it has begun, and says nothing when it begins.
    const showsSome = async (): Promise<boolean> => {
      await publish(1);
      return shown().length > 0;
    };
    await waitFor('the tail to show an event', showsSome, { seen: watching.stderr });
    await publish();
    await broker.kill();
    await hears('the broker does not answer');
    await saysAgain(before, 'holds', 'left the group after an error, rejoins');
    await broker.restart();
    await publish();
    await hears('it answers again, goes on where it was');
    await everythingIsStored();
    const all = deviationsFrom(1, published).map(({ event }) => event.eventId);
    /** From the first one that it showed to the last there is; the partitions come in any order. */
    const due = (): readonly string[] => all.slice(all.indexOf(shown().toSorted()[0] ?? ''));
    await waitFor('the tail to show every event since its first', () => shown().length >= due().length, {
      seen: watching.stderr,
    });
    watching.kill('SIGINT');
    expect(await watching.ended()).toMatchObject({ code: 130 });
    expect(shown().toSorted()).toEqual(due());
  });

  test('the broker, frozen for two session time-outs and thawed', async () => {
    await publish();
    await broker.pause();
    await sleep(2 * SESSION_TIMEOUT_MS);
    await broker.resume();
    await publish();
    await everythingIsStored();
  });

  test('database and registry at once, with a wrong record among the good: it alone is set aside, once both are back', async () => {
    const stranger = await registerStrangersType();
    const good = await recordsOf(deviationsFrom(published + 1, WAVE));
    const before = said('holds');
    await registry.pause();
    await server.stopServer();
    await writeTo(scene.topic, [
      ...good.slice(0, 5),
      { key: null, value: Buffer.from('{') },
      ...[0, 1].map((partition) => ({ key: null, value: framed(stranger.id, stranger.body('x')), partition })),
      ...good.slice(5),
    ]);
    published += WAVE;
    others += 2;
    wrong += 1;
    await saysAgain(before, 'holds');
    await server.startServer();
    // Either the registry is still waited for, or the slice before it went through; no record is judged without its contract.
    expect(await database.select("select reason from quarantine where reason <> 'NOT_FRAMED'")).toEqual([]);
    await registry.resume();
    await everythingIsStored();
    expect(await database.select('select reason from quarantine')).toEqual([{ reason: 'NOT_FRAMED' }]);
  });

  test('a stop while the broker is away ends within its limit, and the group is not ahead of the rows', async () => {
    const before = said('holds', 'left the group after an error, rejoins');
    await publish();
    await broker.kill();
    await saysAgain(before, 'holds', 'left the group after an error, rejoins');
    sink.kill('SIGTERM');
    expect(await sink.ended()).toMatchObject({ code: 0 });
    expect(strangeLines(sink.stderr())).toEqual([]);
    await broker.restart();
    const rows = await database.select('select partition, next_offset from stream_positions');
    const positions = new Map(rows.map((row) => [Number(row.partition), BigInt(String(row.next_offset))]));
    for (const [partition, committed] of await committedOf(scene.groups.sink, scene.topic)) {
      expect({ partition, isAhead: committed > (positions.get(partition) ?? 0n) }).toEqual({
        partition,
        isAhead: false,
      });
    }
    sink = startSink();
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
