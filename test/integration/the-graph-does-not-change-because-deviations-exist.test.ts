/** The same projectable events on two topics, one of them full of deviations and in another order: one and the same graph. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openReader } from '../../consumer/index.ts';
import { writeTo } from '../support/foreign-writer.ts';
import { caughtUp, count, countersOf, select } from '../support/stack-database.ts';
import { deviationsFrom, projectablesFrom, recordsOf, type TypedEvent } from '../support/stack-events.ts';
import { databaseAt, enterScene, type Scene } from '../support/stack-scene.ts';
import { createTopic, endsOf } from '../support/topics.ts';

const PROJECTABLE = projectablesFrom(1, 240);
/** Of the same sessions, under ids of their own. */
const DEVIATIONS = deviationsFrom(10_001, 300);

/** Always the same disorder: by the remainder of a walk over a prime. */
const shuffled = (events: readonly TypedEvent[]): readonly TypedEvent[] =>
  Array.from({ length: 541 }, (_, step) => (step * 223) % 541)
    .map((index) => events[index])
    .filter((event) => event !== undefined);

let scene: Scene;
let withDeviations: string;
let databases: Readonly<Record<'without' | 'amidst' | 'rebuilt', string>>;

/** A projection from the beginning, in a group and a database of its own; answers its database's file. */
const project = async (name: string, topic: string): Promise<string> => {
  const database = await scene.anotherDatabase(name);
  const group = `${scene.groups.graph}-${name}`;
  scene.alsoRemove({ groups: [group] });
  const graph = scene.start(['graph', '--group', group], { ...database.env, SESSION_EVENTS_TOPIC: topic });
  await caughtUp(database.file, 'graph', await endsOf(topic), graph.stderr);
  graph.kill('SIGTERM');
  expect(await graph.ended()).toMatchObject({ code: 0 });
  return database.file;
};

const dumpOf = async (file: string): Promise<string> => {
  const reader = openReader(databaseAt(file));
  try {
    return (await reader.graphDump()).join('\n');
  } finally {
    await reader.close();
  }
};

beforeAll(async () => {
  scene = await enterScene('the-graph-does-not-change');
  withDeviations = `${scene.topic}-with-deviations`;
  scene.alsoRemove({ topics: [withDeviations] });
  await createTopic(withDeviations, 6);
  await writeTo(scene.topic, await recordsOf(PROJECTABLE));
  await writeTo(withDeviations, await recordsOf(shuffled([...PROJECTABLE, ...DEVIATIONS])));
  const [without, amidst] = await Promise.all([project('without', scene.topic), project('amidst', withDeviations)]);
  databases = { without, amidst, rebuilt: await project('rebuilt', withDeviations) };
});

afterAll(() => scene.leave());

test('it is the same byte by byte with deviations among the events and without', async () => {
  const dump = await dumpOf(databases.without);
  // Five persons, four competencies, seven facts: many events have met in each.
  expect(count(databases.without, 'select count(*) from graph_nodes')).toBe(5 + 4 + 7);
  expect(dump.split('\n').length).toBeGreaterThan(5 + 4 + 7);
  expect(await dumpOf(databases.amidst)).toBe(dump);
});

test('it is the same byte by byte when it is built again from the beginning', async () => {
  expect(await dumpOf(databases.rebuilt)).toBe(await dumpOf(databases.amidst));
});

test('every projectable event is counted as stored, every deviation as filtered', () => {
  expect(countersOf(databases.without, 'graph')).toEqual({
    stored: PROJECTABLE.length,
    duplicate: 0,
    filtered: 0,
    quarantined: 0,
  });
  for (const file of [databases.amidst, databases.rebuilt]) {
    expect(countersOf(file, 'graph')).toEqual({
      stored: PROJECTABLE.length,
      duplicate: 0,
      filtered: DEVIATIONS.length,
      quarantined: 0,
    });
  }
});

test('nothing that a deviation carries is in it, nor is there a row of one in its database', () => {
  const carried = new Set(DEVIATIONS.flatMap(({ event }) => [event.eventId, event.sessionId, event.projectId]));
  const values = ['select * from graph_nodes', 'select * from graph_edges']
    .flatMap((sql) => select(databases.amidst, sql))
    .flatMap((row) => Object.values(row));
  expect(values.length).toBeGreaterThan(0);
  expect(values.filter((value) => carried.has(String(value)))).toEqual([]);
  expect(count(databases.amidst, 'select count(*) from session_events')).toBe(0);
});

test('the least event made a node and the greatest set a level, as the events themselves say', () => {
  const proficiencies = PROJECTABLE.filter((one) => one.type === 'anamnese.proficiency_emitted');
  const order = (one: TypedEvent): string => `${one.event.occurredAt} ${one.event.eventId}`;
  for (const edge of select(databases.amidst, "select * from graph_edges where kind = 'proficient_in'")) {
    const met = proficiencies
      .filter(({ event }) => event.personId === edge.from_id && event.competencyId === edge.to_id)
      .toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
    expect(met.length).toBeGreaterThan(1);
    expect(edge).toMatchObject({
      event_id: met[0]?.event.eventId,
      level_event_id: met.at(-1)?.event.eventId,
      level: met.at(-1)?.event.level,
    });
  }
});
