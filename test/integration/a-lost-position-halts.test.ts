/** Where events may be lost the sink ends with 5 and names the gap; the command it prints goes on and records what was lost. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Ended, RunningProcess } from '../support/processes.ts';
import { caughtUp, count, select } from '../support/stack-database.ts';
import { deviationsFrom, recordsOf } from '../support/stack-events.ts';
import { enterScene, type Scene } from '../support/stack-scene.ts';
import { asAdmin, createTopic, endsOf } from '../support/topics.ts';
import { waitFor } from '../support/wait-for.ts';
import { writeTo } from '../support/foreign-writer.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await enterScene('a-lost-position', { bare: true });
  expect(await scene.run(['schema', 'register'])).toMatchObject({ code: 0 });
});
afterAll(() => scene.leave());

interface Place {
  readonly topic: string;
  readonly file: string;
  publish(first: number, howMany: number): Promise<void>;
  sink(): RunningProcess;
  /** Reads everything there is and stops. */
  readsAll(): Promise<void>;
  /** Runs the command that the sink printed when it halted. */
  adopts(halted: Ended): Promise<void>;
  recreate(): Promise<void>;
  /** As retention does: the log begins at this offset afterwards. */
  deleteUpTo(offset: number): Promise<void>;
  emptyDatabase(): Promise<void>;
}

/** A topic of one partition, a group and a database of its own. */
const aPlace = async (name: string): Promise<Place> => {
  const topic = `${scene.topic}-${name}`;
  const group = `${topic}-sink`;
  scene.alsoRemove({ topics: [topic], groups: [group] });
  await createTopic(topic, 1);
  let database = await scene.anotherDatabase(name);
  const env = () => ({ SESSION_EVENTS_TOPIC: topic, ...database.env });
  const sink = (): RunningProcess => scene.start(['sink', '--group', group], env());
  return {
    topic,
    get file() {
      return database.file;
    },
    publish: async (first, howMany) => writeTo(topic, await recordsOf(deviationsFrom(first, howMany))),
    sink,
    readsAll: async () => {
      const running = sink();
      await caughtUp(database.file, 'sink', await endsOf(topic), running.stderr);
      running.kill('SIGTERM');
      expect(await running.ended()).toMatchObject({ code: 0 });
    },
    adopts: async ({ stderr }) => {
      const [, command] = /: deviations (position adopt [^\n"]+)/.exec(stderr) ?? [];
      expect(await scene.run((command ?? stderr).split(' '), '', env())).toMatchObject({ code: 0 });
    },
    recreate: async () => {
      await asAdmin((admin) => admin.deleteTopics({ topics: [topic] }));
      await waitFor(
        'the topic to be gone',
        async () => !(await asAdmin((admin) => admin.listTopics())).includes(topic),
      );
      await createTopic(topic, 1);
    },
    deleteUpTo: (offset) =>
      asAdmin(async (admin) => {
        // Only a topic that this client has asked about before is known to it.
        await admin.fetchTopicOffsets(topic);
        await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: String(offset) }] });
      }),
    emptyDatabase: async () => {
      database = await scene.anotherDatabase(`${name}-empty`);
    },
  };
};

const ids = (file: string) => select(file, 'select id from session_events order by id').map(({ id }) => id);
const idsFrom = (first: number, howMany: number) => deviationsFrom(first, howMany).map(({ event }) => event.eventId);
const losses = (file: string) => select(file, 'select partition, from_offset, to_offset, why from position_losses');

/** The sink ends with 5, says what it measured, and has written nothing. */
const haltsSaying = async (place: Place, running: RunningProcess, what: RegExp): Promise<Ended> => {
  const before = count(place.file, 'select count(*) from session_events');
  const halted = await running.ended();
  expect(halted).toMatchObject({ code: 5, stdout: '' });
  expect(halted.stderr).toMatch(what);
  expect(count(place.file, 'select count(*) from session_events')).toBe(before);
  return halted;
};

test('a topic made anew with fewer records, under a running sink', async () => {
  const place = await aPlace('fewer');
  await place.publish(1, 20);
  const sink = place.sink();
  await caughtUp(place.file, 'sink', await endsOf(place.topic), sink.stderr);
  await place.recreate();
  await place.publish(101, 7);
  await haltsSaying(place, sink, /HALTED.*partition 0 ends at offset 7, before the stored position 20/);
  // Nothing has been decided, so it halts again.
  const halted = await haltsSaying(place, place.sink(), /HALTED.*ends at offset 7, before the stored position 20/);

  await place.adopts(halted);
  expect(losses(place.file)).toEqual([{ partition: 0, from_offset: 20, to_offset: 0, why: 'recreated' }]);
  await place.readsAll();
  expect(ids(place.file)).toEqual([...idsFrom(1, 20), ...idsFrom(101, 7)]);
});

test('a topic made anew that has grown past the position', async () => {
  const place = await aPlace('more');
  await place.publish(1, 20);
  await place.readsAll();
  await place.recreate();
  await place.publish(101, 30);
  const halted = await haltsSaying(place, place.sink(), /HALTED.*partition 0 has another record at offset 19/);

  await place.adopts(halted);
  await place.readsAll();
  expect(ids(place.file)).toEqual([...idsFrom(1, 20), ...idsFrom(101, 30)]);
});

test('records deleted before they were read', async () => {
  const place = await aPlace('deleted');
  await place.publish(1, 10);
  await place.readsAll();
  await place.publish(11, 10);
  await place.deleteUpTo(15);
  const halted = await haltsSaying(place, place.sink(), /HALTED.*starts at offset 15, behind the stored position 10/);

  await place.adopts(halted);
  expect(losses(place.file)).toEqual([{ partition: 0, from_offset: 10, to_offset: 15, why: 'retention' }]);
  await place.readsAll();
  expect(ids(place.file)).toEqual([...idsFrom(1, 10), ...idsFrom(16, 5)]);
});

test('records deleted that were read already: nothing is lost, and nothing halts', async () => {
  const place = await aPlace('deleted-behind');
  await place.publish(1, 10);
  await place.readsAll();
  await place.deleteUpTo(10);
  await place.publish(11, 5);
  await place.readsAll();
  expect(ids(place.file)).toEqual(idsFrom(1, 15));
});

test('a group with commits and a database that knows nothing of them', async () => {
  const place = await aPlace('database');
  await place.publish(1, 12);
  await place.readsAll();
  await place.emptyDatabase();
  const halted = await haltsSaying(place, place.sink(), /HALTED.*read up to offset 12 by this group.*no position/);

  await place.adopts(halted);
  expect(losses(place.file)).toEqual([{ partition: 0, from_offset: 0, to_offset: 0, why: 'database-lost' }]);
  await place.readsAll();
  expect(ids(place.file)).toEqual(idsFrom(1, 12));
});
