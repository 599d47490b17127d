/** However a registry or what stands before it fails: the sink holds, asks within bounds, and takes no record for a wrong one. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { framed, writeTo } from '../support/foreign-writer.ts';
import type { RunningProcess } from '../support/processes.ts';
import { type FrontMode, openRegistryFront, type RegistryFront } from '../support/registry-front.ts';
import { caughtUp, countersOf, select } from '../support/stack-database.ts';
import { deviationsFrom, recordsOf } from '../support/stack-events.ts';
import { registerStrangersType, registerText, removeSubject } from '../support/stack-registry.ts';
import { enterScene, type Scene } from '../support/stack-scene.ts';
import { endsOf, registryUrl } from '../support/topics.ts';
import { waitFor } from '../support/wait-for.ts';
import { createRegistry, registeredId } from '../../wire/index.ts';

const WAVE = 300;

let scene: Scene;
let front: RegistryFront;
let sink: RunningProcess;
let published = 0;
let foreign = 0;
const removals: (() => Promise<void>)[] = [];

beforeAll(async () => {
  [scene, front] = await Promise.all([enterScene('a-registry', { partitions: 2 }), openRegistryFront(registryUrl())]);
});
afterAll(async () => {
  await scene.leave();
  await front.close();
  for (const remove of removals) await remove();
});

const publish = async (): Promise<void> => {
  await writeTo(scene.topic, await recordsOf(deviationsFrom(published + 1, WAVE)));
  published += WAVE;
};

const everythingIsStored = async (): Promise<void> => {
  await caughtUp(scene.databaseFile, 'sink', await endsOf(scene.topic), sink.stderr);
  expect(countersOf(scene.databaseFile, 'sink')).toEqual({
    stored: published,
    duplicate: 0,
    filtered: foreign,
    quarantined: 0,
  });
  expect(select(scene.databaseFile, 'select id from session_events order by id')).toEqual(
    deviationsFrom(1, published).map(({ event }) => ({ id: event.eventId })),
  );
};

const holds = () => sink.log().filter(({ msg }) => msg === 'holds');

/** Waits for a hold over an answer of this kind. */
const holdsOver = async (way: FrontMode, code: string): Promise<void> => {
  front.become(way);
  const before = holds().length;
  const isAsked = () => front.asked() > 0;
  await waitFor(`a hold, for the registry would ${way}`, () => isAsked() && holds().length > before, {
    seen: sink.stderr,
  });
  expect(holds().at(-1)).toMatchObject({ code });
};

const OUTAGES = ['refuse', 'hang', 'error-page'] as const satisfies readonly FrontMode[];

test('from a cold start: down, hanging, an error page, then not found, then right; the backlog is stored', async () => {
  await publish();
  front.become('refuse');
  sink = scene.start(['sink', '--group', scene.groups.sink], { SCHEMA_REGISTRY_URL: front.url });
  for (const way of OUTAGES) await holdsOver(way, 'REGISTRY_UNREACHABLE');
  await holdsOver('not-found', 'SUBJECT_MISSING');
  expect(countersOf(scene.databaseFile, 'sink')).toMatchObject({ stored: 0, quarantined: 0 });
  front.become('pass');
  await sink.logged('claimed a partition');
  await everythingIsStored();
});

test('in mid-stream, under a schema id that was never seen: the good records behind it wait, and none is set aside', async () => {
  const stranger = await registerStrangersType();
  removals.push(stranger.remove);
  front.become('refuse');
  await writeTo(
    scene.topic,
    [0, 1].map((partition) => ({ key: null, value: framed(stranger.id, stranger.body('x')), partition })),
  );
  foreign += 2;
  await publish();
  for (const way of OUTAGES) await holdsOver(way, 'REGISTRY_UNREACHABLE');
  expect(sink.log().filter(({ msg }) => msg === 'quarantined a record')).toEqual([]);
  front.become('pass');
  await everythingIsStored();
});

test('a node that lags behind and does not know a fresh id yet is asked again before a record is judged', async () => {
  const subject = `strangers.note_${randomUUID().slice(0, 8)}`;
  const text = {
    type: 'record',
    namespace: 'strangers',
    name: subject.slice(10),
    fields: [{ name: 'n', type: 'int' }],
  };
  const id = await registerText(subject, JSON.stringify(text));
  removals.push(() => removeSubject(subject));
  front.become('not-found');
  await writeTo(scene.topic, [{ key: null, value: framed(id, Buffer.of(2)), partition: 0 }]);
  foreign += 1;
  await publish();
  await waitFor('the id to be asked for', () => front.asked() > 0, { seen: sink.stderr });
  front.become('pass');
  await everythingIsStored();
  // One claim a partition: it has been the same member all the time.
  expect(sink.log().filter(({ msg }) => msg === 'claimed a partition')).toHaveLength(2);
});

test('made anew with other ids: no record becomes what it was not; what cannot be told is set aside and stored once it can', async () => {
  const registry = createRegistry({ url: registryUrl() });
  const [ours, theirs] = [
    await registeredId(registry, 'anamnese.agent_deviation'),
    await registeredId(registry, 'anamnese.fact_accepted'),
  ];
  const FRESH_ID = 2_000_000_001;
  front.standsFor(ours, theirs);
  front.standsFor(FRESH_ID, ours);
  // Who runs since before knows what the id meant when the records were written.
  await publish();
  await everythingIsStored();
  sink.kill('SIGTERM');
  expect(await sink.ended()).toMatchObject({ code: 0 });

  const FEW = 20;
  const [old, fresh] = [deviationsFrom(published + 1, FEW), deviationsFrom(published + 1 + FEW, FEW)];
  await writeTo(scene.topic, await recordsOf(old));
  await writeTo(
    scene.topic,
    (await recordsOf(fresh)).map((record) => ({ ...record, value: framed(FRESH_ID, record.value.subarray(5)) })),
  );
  sink = scene.start(['sink', '--group', scene.groups.sink], { SCHEMA_REGISTRY_URL: front.url });
  await caughtUp(scene.databaseFile, 'sink', await endsOf(scene.topic), sink.stderr);
  expect(select(scene.databaseFile, 'select reason, count(*) as n from quarantine group by 1')).toEqual([
    { reason: 'TYPE_DISAGREES', n: FEW },
  ]);
  expect(countersOf(scene.databaseFile, 'sink')).toMatchObject({ stored: published + FEW, filtered: foreign });

  front.standsFor(ours, ours);
  const retried = await scene.run(['quarantine', 'retry', '--all'], '', { SCHEMA_REGISTRY_URL: front.url });
  expect(retried).toMatchObject({ code: 0 });
  expect(select(scene.databaseFile, 'select id from session_events order by id')).toEqual(
    deviationsFrom(1, published + 2 * FEW).map(({ event }) => ({ id: event.eventId })),
  );
});
