/** What a careless or hostile writer leaves between good records: each is pointed at with its reason, none stops the rest. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { QUARANTINE_REASONS } from '../../wire/index.ts';
import { writeTo } from '../support/foreign-writer.ts';
import { type Poison, poisons, registerWriters, type Writers } from '../support/poison-records.ts';
import type { RunningProcess } from '../support/processes.ts';
import { caughtUp, countersOf, positionsOf, select } from '../support/stack-database.ts';
import { deviationNo, deviationsFrom, recordsOf } from '../support/stack-events.ts';
import { enterScene, type Scene } from '../support/stack-scene.ts';
import { committedOf, endsOf } from '../support/topics.ts';
import { waitFor } from '../support/wait-for.ts';

/** Must be nowhere but on the topic. */
const CANARY = 'canary-7d1f';
const AFTER = 100;

let scene: Scene;
let writers: Writers;
let sink: RunningProcess;
let bad: readonly Poison[];
let goodCount: number;

beforeAll(async () => {
  scene = await enterScene('poison-stops-nothing', { partitions: 1 });
  writers = await registerWriters();
  const [sample] = await recordsOf(deviationsFrom(900_000, 1));
  if (sample === undefined) throw new Error('no record was made');
  bad = poisons(sample, writers, CANARY);
  goodCount = bad.length + 1 + AFTER;
  const good = await recordsOf(deviationsFrom(1, goodCount));
  await writeTo(scene.topic, [
    ...bad.flatMap(({ message }, index) => [...good.slice(index, index + 1), message]),
    ...good.slice(bad.length),
  ]);
  sink = scene.consume('sink');
  await caughtUp(scene.databaseFile, 'sink', await endsOf(scene.topic), sink.stderr);
});

afterAll(async () => {
  await scene.leave();
  await writers.remove();
});

const quarantine = () => select(scene.databaseFile, 'select * from quarantine order by log_offset');
const schemaIdOfOurs = () => select(scene.databaseFile, 'select distinct schema_id from session_events')[0]?.schema_id;
const storedIds = () => select(scene.databaseFile, 'select id from session_events order by id').map(({ id }) => id);
const idsUpTo = (count: number) => deviationsFrom(1, count).map(({ event }) => event.eventId);

test('every good record is a row, and nothing else is', () => {
  expect(storedIds()).toEqual(idsUpTo(goodCount));
  expect(countersOf(scene.databaseFile, 'sink')).toEqual({
    stored: goodCount,
    duplicate: 0,
    filtered: 0,
    quarantined: bad.length,
  });
});

test('every bad one is pointed at, with its place, size and reason', () => {
  const entries = quarantine();
  // They alternate with good ones from offset 0 on.
  expect(entries.map(({ log_offset, size }) => ({ log_offset, size }))).toEqual(
    bad.map(({ message }, index) => ({ log_offset: 2 * index + 1, size: message.value?.length ?? 0 })),
  );
  expect(entries.map(({ reason }, index) => `${bad[index]?.what}: ${String(reason)}`)).toEqual(
    bad.map(({ what, reason }, index) => `${what}: ${reason ?? String(entries[index]?.reason)}`),
  );
  expect(entries.filter(({ reason }) => !(QUARANTINE_REASONS as readonly unknown[]).includes(reason))).toEqual([]);
  for (const entry of entries) {
    expect(entry).toMatchObject({ consumer: 'sink', topic: scene.topic, partition: 0, attempts: 1, state: 'open' });
    expect([null, ...writers.ids, schemaIdOfOurs()]).toContain(entry.schema_id);
  }
});

test('no word of theirs is in the log or in the database', () => {
  expect(sink.stderr() + sink.stdout()).not.toContain(CANARY);
  expect(JSON.stringify([quarantine(), select(scene.databaseFile, 'select * from stream_positions')])).not.toContain(
    CANARY,
  );
});

test('the sink is up, its position and the offset of its group are the end of the log', async () => {
  const ends = await endsOf(scene.topic);
  expect(positionsOf(scene.databaseFile, 'sink')).toEqual(ends);
  await waitFor('the group to have committed the end', async () => {
    const committed = await committedOf(scene.groups.sink, scene.topic);
    return committed.get(0) === ends.get(0);
  });
  expect(sink.isRunning()).toBe(true);
});

test('a restart redoes none of it, and goes on with what comes next', async () => {
  const before = quarantine();
  sink.kill('SIGTERM');
  expect(await sink.ended()).toMatchObject({ code: 0 });

  const next = scene.consume('sink');
  const last = deviationNo(goodCount + 1);
  // Headers that no client of ours would write: given twice, and of other names.
  const [record] = await recordsOf([{ type: 'anamnese.agent_deviation', event: last }]);
  await writeTo(scene.topic, [
    { key: last.sessionId, value: record?.value ?? null, headers: { ce_id: ['one', 'two'], 'x-note': CANARY } },
  ]);
  await caughtUp(scene.databaseFile, 'sink', await endsOf(scene.topic), next.stderr);

  expect(storedIds()).toEqual(idsUpTo(goodCount + 1));
  expect(quarantine()).toEqual(before);
  expect(countersOf(scene.databaseFile, 'sink')).toEqual({
    stored: goodCount + 1,
    duplicate: 0,
    filtered: 0,
    quarantined: bad.length,
  });
  expect(next.log().filter(({ msg }) => msg === 'quarantined a record')).toEqual([]);
});
