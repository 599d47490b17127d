/** Types that a consumer does not take, one of ours and one that nobody here has heard of: passed over, counted, nothing stalls. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { AGENT_DEVIATION } from '../../schemas/index.ts';
import { type ForeignMessage, framed, writeTo } from '../support/foreign-writer.ts';
import type { RunningProcess } from '../support/processes.ts';
import { caughtUp, count, countersOf, positionsOf, select } from '../support/stack-database.ts';
import { deviationNo, projectableNo, recordsOf } from '../support/stack-events.ts';
import { registerStrangersType, type StrangersType } from '../support/stack-registry.ts';
import { enterScene, type Scene } from '../support/stack-scene.ts';
import { endsOf } from '../support/topics.ts';

const DEVIATIONS = 40;
const PROJECTABLE = 30;
const STRANGERS = 20;

let scene: Scene;
let stranger: StrangersType;
let running: Readonly<Record<'sink' | 'graph', RunningProcess>>;

const note = (index: number): ForeignMessage => ({
  key: deviationNo(index).sessionId,
  value: framed(stranger.id, stranger.body(`note ${index}`)),
  // Some writers say what it is, some say nothing.
  headers: index % 2 === 0 ? { ce_type: stranger.name } : {},
});

const bothCatchUp = async (): Promise<void> => {
  const ends = await endsOf(scene.topic);
  for (const consumer of ['sink', 'graph'] as const) {
    await caughtUp(scene.databaseFile, consumer, ends, running[consumer].stderr);
    expect(positionsOf(scene.databaseFile, consumer)).toEqual(new Map([...ends].filter(([, end]) => end > 0n)));
  }
};

beforeAll(async () => {
  scene = await enterScene('other-event-types', { partitions: 2 });
  stranger = await registerStrangersType();
  running = { sink: scene.consume('sink'), graph: scene.consume('graph') };
  const deviations = await recordsOf(
    Array.from({ length: DEVIATIONS }, (_, index) => ({ type: AGENT_DEVIATION, event: deviationNo(index + 1) })),
  );
  const others = await recordsOf(Array.from({ length: PROJECTABLE }, (_, index) => projectableNo(1_000 + index)));
  const strangers = Array.from({ length: STRANGERS }, (_, index) => note(index));
  await writeTo(
    scene.topic,
    deviations.flatMap((record, index) => [
      ...strangers.slice(index, index + 1),
      record,
      ...others.slice(index, index + 1),
    ]),
  );
  await bothCatchUp();
});

afterAll(async () => {
  await scene.leave();
  await stranger.remove();
});

test('the sink stores the deviations and filters both others', () => {
  expect(countersOf(scene.databaseFile, 'sink')).toEqual({
    stored: DEVIATIONS,
    duplicate: 0,
    filtered: PROJECTABLE + STRANGERS,
    quarantined: 0,
  });
  expect(select(scene.databaseFile, 'select type, count(*) as n from session_events group by type')).toEqual([
    { type: AGENT_DEVIATION, n: DEVIATIONS },
  ]);
});

test('the graph takes what it projects, and filters the deviations and the stranger', () => {
  expect(countersOf(scene.databaseFile, 'graph')).toEqual({
    stored: PROJECTABLE,
    duplicate: 0,
    filtered: DEVIATIONS + STRANGERS,
    quarantined: 0,
  });
  expect(count(scene.databaseFile, 'select count(*) from graph_nodes')).toBeGreaterThan(0);
  expect(count(scene.databaseFile, 'select count(*) from quarantine')).toBe(0);
});

test('a type registered while they run, alone on the topic for a while, moves the positions of both', async () => {
  const later = await registerStrangersType();
  try {
    const messages = Array.from({ length: 10 }, (_, index) => ({
      key: deviationNo(index).sessionId,
      value: framed(later.id, later.body('hello')),
    }));
    await writeTo(scene.topic, messages);
    await bothCatchUp();
    expect(countersOf(scene.databaseFile, 'sink').filtered).toBe(PROJECTABLE + STRANGERS + 10);
    expect(countersOf(scene.databaseFile, 'graph').filtered).toBe(DEVIATIONS + STRANGERS + 10);

    await writeTo(
      scene.topic,
      await recordsOf([{ type: AGENT_DEVIATION, event: deviationNo(DEVIATIONS + 1) }, projectableNo(5_000)]),
    );
    await bothCatchUp();
    expect(countersOf(scene.databaseFile, 'sink').stored).toBe(DEVIATIONS + 1);
    expect(countersOf(scene.databaseFile, 'graph').stored).toBe(PROJECTABLE + 1);
  } finally {
    await later.remove();
  }
});
