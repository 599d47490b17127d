/** Two sinks on one PostgreSQL: one is frozen and thawed, one is killed, partitions are added under load; one row per record. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { join } from 'node:path';
import { migrate } from '../../consumer/index.ts';
import { type OwnDatabase, type OwnPostgres, startPostgres } from '../support/embedded-postgres.ts';
import { writeTo } from '../support/foreign-writer.ts';
import { REPOSITORY, type RunningProcess } from '../support/processes.ts';
import { deviationsFrom, recordsOf } from '../support/stack-events.ts';
import { enterScene, type Scene } from '../support/stack-scene.ts';
import { asAdmin, committedOf, endsOf } from '../support/topics.ts';
import { waitFor } from '../support/wait-for.ts';

const SINK = join(REPOSITORY, 'test', 'support', 'sink-with-a-short-session.ts');
/** Our own broker gives a dead member's place away sooner than one that was given will. */
const SESSION_TIMEOUT_MS = process.env['TEST_STACK_KIND'] === 'given' ? 6_000 : 1_500;
const WAVE = 1_500;

let scene: Scene;
let server: OwnPostgres;
let database: OwnDatabase;
beforeAll(async () => {
  [scene, server] = await Promise.all([enterScene('two-sinks', { partitions: 2 }), startPostgres()]);
  database = await server.createDatabase();
  await migrate({ url: database.url });
});
afterAll(async () => {
  await scene.leave();
  await server.remove();
});

const startSink = (): RunningProcess =>
  scene.startScript(SINK, [scene.groups.sink, String(SESSION_TIMEOUT_MS)], { DATABASE_URL: database.url });

let published = 0;
const publish = async (howMany = WAVE): Promise<void> => {
  await writeTo(scene.topic, await recordsOf(deviationsFrom(published + 1, howMany)));
  published += howMany;
};

const positions = async (): Promise<ReadonlyMap<number, bigint>> =>
  new Map(
    (await database.select('select partition, next_offset from stream_positions where next_offset is not null')).map(
      (row) => [Number(row.partition), BigInt(String(row.next_offset))],
    ),
  );

const caughtUp = async (...sinks: readonly RunningProcess[]): Promise<void> => {
  const ends = await endsOf(scene.topic);
  await waitFor(
    'the positions to be the ends of the log',
    async () => {
      const at = await positions();
      return [...ends].every(([partition, end]) => end === 0n || at.get(partition) === end);
    },
    { limitMs: 45_000, seen: () => sinks.map((one) => `sink ${one.pid}:\n${one.stderr()}`).join('\n') },
  );
};

const expectOneRowPerRecord = async (): Promise<void> => {
  const ids = (await database.select('select id from session_events order by id')).map(({ id }) => id);
  expect(ids).toEqual(deviationsFrom(1, published).map(({ event }) => event.eventId));
  const [counters] = await database.select(
    'select sum(stored) as stored, sum(duplicate) as duplicate, sum(quarantined) as quarantined from stream_positions',
  );
  expect(counters).toEqual({ stored: String(published), duplicate: '0', quarantined: '0' });
  const at = await positions();
  for (const [partition, committed] of await committedOf(scene.groups.sink, scene.topic)) {
    expect({ partition, isAhead: committed > (at.get(partition) ?? 0n) }).toEqual({ partition, isAhead: false });
  }
};

/** How often the partitions were claimed so far. */
const epochs = async (): Promise<number> =>
  Number((await database.select('select coalesce(sum(epoch), 0) as n from stream_positions'))[0]?.n);

test('one frozen longer than its session and thawed, one killed, partitions added: one row per record, and it settles', async () => {
  const [frozen, killed] = [startSink(), startSink()];
  await Promise.all([frozen, killed].map((one) => one.logged('claimed a partition')));
  await publish();
  await caughtUp(frozen, killed);
  // It has records in hand that it cannot flush when it is frozen, and the first thing it does afterwards is to try again.
  const release = await database.holding('select 1 from stream_positions for update');
  await publish();
  await frozen.logged('holds');
  frozen.kill('SIGSTOP');
  await release();
  // The broker gives its partition to the other one.
  await caughtUp(killed);
  await publish();
  frozen.kill('SIGCONT');
  await asAdmin((admin) => admin.createPartitions({ topicPartitions: [{ topic: scene.topic, count: 5 }] }));
  await publish();
  await caughtUp(frozen, killed);
  await expectOneRowPerRecord();

  await publish();
  killed.kill('SIGKILL');
  await publish();
  await caughtUp(frozen);
  await expectOneRowPerRecord();

  const another = startSink();
  await another.logged('claimed a partition');
  // Nobody fences anybody for ever: they come to rest, and no partition is claimed again. A heartbeat that is late on a
  // busy machine may cost a round.
  const settles = async (): Promise<boolean> => {
    const before = await epochs();
    await publish();
    await caughtUp(frozen, another);
    await publish();
    await caughtUp(frozen, another);
    return (await epochs()) === before;
  };
  let isSettled = false;
  for (let round = 0; round < 6 && !isSettled; round += 1) isSettled = await settles();
  expect(isSettled).toBe(true);
  await expectOneRowPerRecord();
  for (const one of [frozen, another]) {
    one.kill('SIGTERM');
    expect(await one.ended()).toMatchObject({ code: 0 });
  }
});
