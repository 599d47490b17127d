/** Killed over and over around its two commits, the sink goes on where the database says, and the group's hint stays behind. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { REPOSITORY } from '../support/processes.ts';
import type { Moment } from '../support/sink-that-dies.ts';
import { caughtUp, count, countersOf, positionsOf, select } from '../support/stack-database.ts';
import { deviationsFrom, recordsOf } from '../support/stack-events.ts';
import { enterScene, type Scene } from '../support/stack-scene.ts';
import { committedOf, endsOf } from '../support/topics.ts';
import { writeTo } from '../support/foreign-writer.ts';

const SINK_THAT_DIES = join(REPOSITORY, 'test', 'support', 'sink-that-dies.ts');

/** Our own broker gives a dead member's place away sooner than one that was given will. */
const SESSION_TIMEOUT_MS = process.env['TEST_STACK_KIND'] === 'given' ? 6_000 : 1_500;

const PARTITIONS = 3;
const WAVE = 600;
const DEATHS: readonly { readonly moment: Moment; readonly nth: number }[] = [
  { moment: 'before-the-kafka-commit', nth: 1 },
  { moment: 'after-the-database-commit', nth: 1 },
  { moment: 'before-the-kafka-commit', nth: 3 },
  { moment: 'after-the-kafka-commit', nth: 1 },
  { moment: 'after-the-database-commit', nth: 3 },
];

let scene: Scene;
beforeAll(async () => {
  scene = await enterScene('a-killed-sink', { partitions: PARTITIONS });
});
afterAll(() => scene.leave());

const storedOffsets = (): ReadonlyMap<number, readonly number[]> => {
  const rows = select(scene.databaseFile, 'select partition, log_offset from session_events order by log_offset');
  return new Map(
    Array.from({ length: PARTITIONS }, (_, partition) => [
      partition,
      rows.filter((row) => row.partition === partition).map((row) => Number(row.log_offset)),
    ]),
  );
};

/** Every record is a deviation with an id of its own, so below the position each offset is a row, and none is above it. */
const offsetsUpTo = (positions: ReadonlyMap<number, bigint>): ReadonlyMap<number, readonly number[]> =>
  new Map(
    Array.from({ length: PARTITIONS }, (_, partition) => [
      partition,
      Array.from({ length: Number(positions.get(partition) ?? 0n) }, (_, offset) => offset),
    ]),
  );

let published = 0;
const publishWave = async (): Promise<void> => {
  await writeTo(scene.topic, await recordsOf(deviationsFrom(published + 1, WAVE)));
  published += WAVE;
};

const expectRowsAndPositionsToAgree = async (): Promise<void> => {
  const positions = positionsOf(scene.databaseFile, 'sink');
  expect(storedOffsets()).toEqual(offsetsUpTo(positions));
  expect(countersOf(scene.databaseFile, 'sink')).toEqual({
    stored: count(scene.databaseFile, 'select count(*) from session_events'),
    duplicate: 0,
    filtered: 0,
    quarantined: 0,
  });
  for (const [partition, committed] of await committedOf(scene.groups.sink, scene.topic)) {
    expect({ partition, isAhead: committed > (positions.get(partition) ?? 0n) }).toEqual({ partition, isAhead: false });
  }
};

for (const [round, { moment, nth }] of DEATHS.entries()) {
  test(`death ${round + 1}, ${moment.replaceAll('-', ' ')} number ${nth}: rows and position agree, the group is not ahead`, async () => {
    await publishWave();
    const before = count(scene.databaseFile, 'select count(*) from session_events');
    const sink = scene.startScript(SINK_THAT_DIES, [
      moment,
      String(nth),
      scene.groups.sink,
      String(SESSION_TIMEOUT_MS),
    ]);
    expect(await sink.ended()).toMatchObject({ signal: 'SIGKILL', stderr: '' });

    expect(count(scene.databaseFile, 'select count(*) from session_events')).toBeGreaterThan(before);
    await expectRowsAndPositionsToAgree();
    if (moment !== 'after-the-kafka-commit') {
      // It did die in the gap: something is in the database that the group does not know of.
      const committed = await committedOf(scene.groups.sink, scene.topic);
      const positions = [...positionsOf(scene.databaseFile, 'sink')];
      expect(positions.some(([partition, at]) => at > (committed.get(partition) ?? 0n))).toBe(true);
    }
  });
}

test('the sink as it is stores the rest: one row per event, by id, and both positions are the ends of the log', async () => {
  await publishWave();
  const sink = scene.consume('sink');
  const ends = await endsOf(scene.topic);
  await caughtUp(scene.databaseFile, 'sink', ends, sink.stderr);
  sink.kill('SIGTERM');
  expect(await sink.ended()).toMatchObject({ code: 0 });

  await expectRowsAndPositionsToAgree();
  const ids = select(scene.databaseFile, 'select id from session_events order by id').map(({ id }) => id);
  expect(ids).toEqual(deviationsFrom(1, published).map(({ event }) => event.eventId));
  expect(await committedOf(scene.groups.sink, scene.topic)).toEqual(ends);
});
