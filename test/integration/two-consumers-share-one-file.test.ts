/** The sink and the projection write to one SQLite file at once, under load: nothing is lost and neither is held for ever. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { AGENT_DEVIATION } from '../../schemas/index.ts';
import { writeTo } from '../support/foreign-writer.ts';
import type { RunningProcess } from '../support/processes.ts';
import { caughtUp, count, countersOf, select } from '../support/stack-database.ts';
import { deviationNo, projectableNo, recordsOf, type TypedEvent } from '../support/stack-events.ts';
import { enterScene, type Scene } from '../support/stack-scene.ts';
import { committedOf, endsOf } from '../support/topics.ts';
import { waitFor } from '../support/wait-for.ts';

const PAIRS = 1_000;
/** So that both have something to flush again and again, and not all at once. */
const REQUESTS = 20;

let scene: Scene;
let running: Readonly<Record<'sink' | 'graph', RunningProcess>>;

beforeAll(async () => {
  scene = await enterScene('two-consumers-share-one-file');
  running = { sink: scene.consume('sink'), graph: scene.consume('graph') };
  const mixed = Array.from({ length: PAIRS }, (_, index): readonly TypedEvent[] => [
    { type: AGENT_DEVIATION, event: deviationNo(index + 1) },
    projectableNo(100_000 + index),
  ]).flat();
  const records = await recordsOf(mixed);
  const size = records.length / REQUESTS;
  for (let request = 0; request < REQUESTS; request += 1) {
    await writeTo(scene.topic, records.slice(request * size, (request + 1) * size));
  }
});

afterAll(() => scene.leave());

test('both reach the ends of the log, and so do the offsets of their groups', async () => {
  const ends = await endsOf(scene.topic);
  expect([...ends.values()].reduce((sum, end) => sum + end, 0n)).toBe(BigInt(2 * PAIRS));
  for (const consumer of ['sink', 'graph'] as const) {
    await caughtUp(scene.databaseFile, consumer, ends, running[consumer].stderr);
    await waitFor(`group ${scene.groups[consumer]} to have committed the ends`, async () => {
      const committed = await committedOf(scene.groups[consumer], scene.topic);
      return [...ends].every(([partition, end]) => end === 0n || committed.get(partition) === end);
    });
    expect(running[consumer].isRunning()).toBe(true);
  }
});

test('each has accounted for every record, and stored what is its own', () => {
  expect(countersOf(scene.databaseFile, 'sink')).toEqual({
    stored: PAIRS,
    duplicate: 0,
    filtered: PAIRS,
    quarantined: 0,
  });
  expect(countersOf(scene.databaseFile, 'graph')).toEqual({
    stored: PAIRS,
    duplicate: 0,
    filtered: PAIRS,
    quarantined: 0,
  });
  expect(select(scene.databaseFile, 'select id from session_events order by id').map(({ id }) => id)).toEqual(
    Array.from({ length: PAIRS }, (_, index) => deviationNo(index + 1).eventId),
  );
  // Five persons, four competencies, seven facts.
  expect(count(scene.databaseFile, 'select count(*) from graph_nodes')).toBe(5 + 4 + 7);
  expect(select(scene.databaseFile, 'pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);
});
