/** Who lost an epoch writes nothing, leaves, and comes back later: never by claiming again at once. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { kafka } from '../../../../wire/index.ts';
import { flushing, goodAt, openRig, type Rig, type StreamUnderTest, TOPIC, upTo } from '../../../support/stream-rig.ts';
import { waitFor } from '../../../support/wait-for.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await openRig();
});
afterEach(() => rig.close());

const records = (end: number, from = 0) => upTo(end, from).map(goodAt);
const KEY = { consumer: 'sink', topic: TOPIC, partition: 0 } as const;
const claims = (stream: StreamUnderTest): number => stream.trace.filter((what) => what.startsWith('claims')).length;

test('an epoch that somebody else took ends the membership; nothing is written and nothing claimed before it rejoins', async () => {
  const stream = await rig.start();
  const source = await stream.reading(0, 1);
  await (await rig.openStore()).claim(KEY);
  source.deliver(0, records(3));
  await waitFor('the source to be stopped', source.isStopped);
  expect(rig.rows()).toEqual([]);
  expect(rig.position(0)).toBeUndefined();
  expect(stream.progress.snapshot().epochLosses).toBe(1);
  const second = await stream.source(2);
  // It was given nothing yet, so it claims nothing, and is not ready.
  expect(claims(stream)).toBe(2);
  expect(stream.progress.snapshot().isReady).toBe(false);
  second.assign(0);
  await waitFor('the partition to be read', () => second.isFetching(0));
  expect(stream.progress.snapshot().isReady).toBe(true);
  second.deliver(0, records(3));
  await rig.positionIs(0, 3);
});

test.each<[string, Parameters<Rig['start']>[0]]>([
  ['the group has committed', { committed: () => Promise.resolve(kafka.offset(5)) }],
  ['retention has moved the log', {}],
])('a sink that stood still after its claim does not halt over what others read meanwhile: %s', async (_, options) => {
  const other = await rig.openStore();
  let isFirst = true;
  const stream = await rig.start({
    ...options,
    ends: async () => {
      // Between its claim and its look at the log another one claims, reads on and commits.
      if (isFirst) await other.claim(KEY);
      const start = kafka.offset(isFirst && options?.committed === undefined ? 3 : 0);
      isFirst = false;
      return [{ partition: 0, start, end: kafka.offset(10) }];
    },
    wrap: (store) => ({
      ...store,
      // As it was before the other's flush.
      claim: async (key, given) => ({
        ...(await store.claim(key, given)),
        ...(isFirst && options?.committed === undefined ? { position: kafka.offset(1) } : {}),
      }),
    }),
  });
  const source = await stream.source();
  source.assign(0);
  await waitFor('the epoch to be lost', () => stream.progress.snapshot().epochLosses === 1);
  await waitFor('the source to be stopped', source.isStopped);
  expect(source.told.filter((what) => what.startsWith('sought'))).toEqual([]);
  await stream.source(2);
});

test('other partitions finish the slice in hand before it leaves', async () => {
  const gate: { open?: () => void } = {};
  const opened = new Promise<void>((resolve) => {
    gate.open = resolve;
  });
  const stream = await rig.start({
    wrap: flushing(async (request, really) => {
      if (request.partition === 1) await opened;
      return really(request);
    }),
  });
  const source = await stream.reading(0, 1);
  await (await rig.openStore()).claim(KEY);
  source.deliver(1, records(3));
  source.deliver(0, records(9, 6));
  await waitFor('the epoch to be lost', () => stream.progress.snapshot().epochLosses === 1);
  expect(source.isStopped()).toBe(false);
  gate.open?.();
  await rig.positionIs(1, 3);
  await waitFor('the source to be stopped', source.isStopped);
  expect(source.told).toContain('committed 1 3');
});

test('a flush that was in hand when the partition was assigned anew is fenced by its own process, and that loses nothing', async () => {
  const gate: { open?: () => void } = {};
  const opened = new Promise<void>((resolve) => {
    gate.open = resolve;
  });
  let isFirst = true;
  const stream = await rig.start({
    wrap: flushing(async (request, really) => {
      if (isFirst) {
        isFirst = false;
        await opened;
      }
      return really(request);
    }),
  });
  const source = await stream.reading(0);
  source.deliver(0, records(3));
  // A rebalance gives it the same partition again while the database is slow.
  source.assign(0);
  await waitFor('the partition to be read again', () => source.isFetching(0));
  gate.open?.();
  source.deliver(0, records(5));
  await rig.positionIs(0, 5);
  expect(rig.counters()).toMatchObject({ stored: 5, duplicate: 0 });
  // Leaving for it would make every rebalance under load the cause of the next.
  expect(source.isStopped()).toBe(false);
  expect(stream.progress.snapshot().epochLosses).toBe(0);
});

test('two streams on one partition do not fence each other for ever: the group has the last word', async () => {
  const [a, b] = [await rig.start(), await rig.start()];
  // The group moves the partition from one to the other while the first still holds it: a member that was frozen.
  const frozen = await a.reading(0);
  const owner = await b.reading(0);
  owner.deliver(0, records(3));
  await rig.positionIs(0, 3);
  frozen.deliver(0, records(3));
  await waitFor('the frozen one to leave', frozen.isStopped);
  // While it is away the owner works on, undisturbed.
  owner.deliver(0, records(6, 3));
  await rig.positionIs(0, 6);
  const thawed = await a.source(2);
  thawed.assign();
  owner.deliver(0, records(9, 6));
  await rig.positionIs(0, 9);
  expect([claims(a), claims(b)]).toEqual([1, 1]);
  expect(owner.isStopped()).toBe(false);
  expect(rig.counters()).toMatchObject({ stored: 9, duplicate: 0 });
  expect([a, b].map((one) => one.progress.snapshot().epochLosses)).toEqual([1, 0]);
});
