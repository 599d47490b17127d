/** What fails around a record is waited out: nothing is quarantined, nothing skipped, nothing counted twice. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { FlushRequest, Store } from '../../../../consumer/index.ts';
import { kafka, StreamError } from '../../../../wire/index.ts';
import { CONTRACTS } from '../../../support/records.ts';
import { flushing, goodAt, openRig, type Rig, upTo, wrongAt } from '../../../support/stream-rig.ts';
import { waitFor } from '../../../support/wait-for.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await openRig();
});
afterEach(() => rig.close());

const records = (end: number, from = 0) => upTo(end, from).map(goodAt);
const OUTAGE = new StreamError('DATABASE_UNREACHABLE', 'a test', 'Wait');

describe('a database that is away', () => {
  test('is waited for: nothing is quarantined, then everything is stored', async () => {
    let failures = 0;
    const stream = await rig.start({
      wrap: flushing((request, really) => {
        failures += 1;
        return failures <= 3 ? Promise.reject(OUTAGE) : really(request);
      }),
    });
    const source = await stream.reading(0);
    source.deliver(0, records(3));
    await waitFor('a hold to be seen', () => stream.progress.snapshot().holding === 1);
    source.deliver(0, [wrongAt(3), ...records(6, 4)]);
    await rig.positionIs(0, 6);
    expect(rig.rows()).toEqual([0, 1, 2, 4, 5]);
    expect(rig.quarantine()).toEqual(['3 NOT_FRAMED']);
    expect(rig.counters()).toEqual({ stored: 5, duplicate: 0, filtered: 0, quarantined: 1 });
    expect(stream.progress.snapshot()).toMatchObject({ holding: 0, holds: 1, epochLosses: 0 });
    expect(stream.lines.filter(({ msg }) => msg === 'holds')).toHaveLength(3);
    expect(stream.sourceCount()).toBe(1);
  });

  test.each([
    ['a plain error', new Error('with a value in it: canary-7d1f')],
    ['a TypeError', new TypeError('canary-7d1f')],
    ['a RangeError', new RangeError('canary-7d1f')],
    ['no error at all', 'canary-7d1f'],
  ])('may fail with %s: it reaches neither the source nor the log', async (_, thrown) => {
    let failed = false;
    const stream = await rig.start({
      wrap: flushing((request, really) => {
        if (failed) return really(request);
        failed = true;
        throw thrown;
      }),
    });
    const source = await stream.reading(0);
    expect(() => source.deliver(0, records(3))).not.toThrow();
    await rig.positionIs(0, 3);
    expect(rig.quarantine()).toEqual([]);
    expect(JSON.stringify(stream.lines)).not.toContain('canary');
  });

  test('for one partition alone holds up no other', async () => {
    const stream = await rig.start({
      stopLimitMs: 200,
      wrap: flushing((request, really) => (request.partition === 0 ? Promise.reject(OUTAGE) : really(request))),
    });
    const source = await stream.reading(0, 1);
    source.deliver(0, records(3));
    await waitFor('a hold to be seen', () => stream.progress.snapshot().holding === 1);
    source.deliver(1, records(3));
    await rig.positionIs(1, 3);
    source.deliver(1, records(6, 3));
    await rig.positionIs(1, 6);
    expect(rig.position(0)).toBeUndefined();
    expect(source.isStopped()).toBe(false);
  });

  test('at the claim is waited for before anything is read', async () => {
    let failures = 0;
    const stream = await rig.start({
      wrap: (store: Store): Store => ({
        ...store,
        claim: (key, options) => {
          failures += 1;
          return failures <= 2 ? Promise.reject(OUTAGE) : store.claim(key, options);
        },
      }),
    });
    const source = await stream.source();
    source.assign(0);
    await waitFor('a hold of the claim', () => stream.progress.snapshot().holding === 1);
    expect(stream.progress.snapshot().isReady).toBe(false);
    await waitFor('the partition to be read', () => source.isFetching(0));
    expect(stream.progress.snapshot()).toMatchObject({ holding: 0, isReady: true });
  });
});

test('a registry that is away is waited for, and an id is not taken for unknown', async () => {
  let asked = 0;
  const stream = await rig.start({
    lookup: {
      cached: () => undefined,
      contractOf: (id) => {
        asked += 1;
        return asked <= 2
          ? Promise.reject(new StreamError('REGISTRY_UNREACHABLE', 'a test', 'Wait'))
          : Promise.resolve(CONTRACTS.get(id) ?? { kind: 'unknown-id' });
      },
    },
  });
  const source = await stream.reading(0);
  source.deliver(0, records(3));
  await rig.positionIs(0, 3);
  expect(rig.quarantine()).toEqual([]);
});

test('a COMMIT whose answer is lost is known again: nothing is written or counted twice', async () => {
  let isLost = false;
  const stream = await rig.start({
    wrap: flushing(async (request, really) => {
      const answer = await really(request);
      if (isLost) return answer;
      isLost = true;
      throw OUTAGE;
    }),
  });
  const source = await stream.reading(0);
  stream.progress.sawEnds([{ partition: 0, start: kafka.offset(0), end: kafka.offset(4) }]);
  source.deliver(0, [...records(3), wrongAt(3)]);
  await waitFor('the commit to the group', () => source.told.includes('committed 0 4'));
  expect(rig.counters()).toEqual({ stored: 3, duplicate: 0, filtered: 0, quarantined: 1 });
  expect(rig.quarantine()).toEqual(['3 NOT_FRAMED']);
  expect(stream.lines.map(({ msg }) => msg)).toContain('a flush whose answer was lost had been committed');
  // Else the watchdog would wait for an advance that has been made.
  expect(stream.progress.snapshot().partitions).toMatchObject([{ lagRecords: 0 }]);
  source.deliver(0, records(6, 4));
  await rig.positionIs(0, 6);
  expect(rig.counters()).toEqual({ stored: 5, duplicate: 0, filtered: 0, quarantined: 1 });
});

test('the group hears of a position only after the database has it, and a failed commit changes nothing', async () => {
  const stream = await rig.start({
    wrap: flushing(async (request, really) => {
      expect(stream.trace.filter((what) => what.startsWith('committed'))).toEqual([]);
      return really(request);
    }),
  });
  const source = await stream.reading(0);
  source.deliver(0, records(3));
  await waitFor('the commit', () => source.told.includes('committed 0 3'));
  expect(rig.position(0)).toBe(3);
});

test('the group is told of many small flushes in few commits, and of the last one in the end', async () => {
  const stream = await rig.start();
  const source = await stream.reading(0);
  const flushes = 20;
  for (const at of upTo(flushes)) {
    source.deliver(0, [goodAt(at)]);
    await rig.positionIs(0, at + 1);
  }
  stream.stop();
  await stream.ended;
  const commits = source.told.filter((what) => what.startsWith('committed'));
  expect(commits.at(-1)).toBe(`committed 0 ${flushes}`);
  expect(commits.length).toBeLessThan(flushes);
});

test('a partition with too much in hand is paused, and resumed once there is room', async () => {
  const gate: { open?: () => void } = {};
  const opened = new Promise<void>((resolve) => {
    gate.open = resolve;
  });
  const sizes: number[] = [];
  const stream = await rig.start({
    wrap: flushing(async (request: FlushRequest, really) => {
      await opened;
      sizes.push(request.quarantine.length);
      return really(request);
    }),
    acceptQuarantine: true,
  });
  const source = await stream.reading(0);
  source.deliver(0, [wrongAt(0)]);
  source.deliver(0, upTo(2_100, 1).map(wrongAt));
  await waitFor('the partition to be paused', () => !source.isFetching(0));
  expect(rig.position(0)).toBeUndefined();
  gate.open?.();
  await waitFor('the partition to be resumed', () => source.isFetching(0));
  await rig.positionIs(0, 2_100);
  expect(sizes).toEqual([1, 2_000, 99]);
  expect(rig.counters()).toMatchObject({ quarantined: 2_100 });
});

test('a source is kept waiting while there is no room, and no partition with room is ever paused', async () => {
  const gate: { open?: () => void } = {};
  const opened = new Promise<void>((resolve) => {
    gate.open = resolve;
  });
  const stream = await rig.start({
    wrap: flushing(async (request: FlushRequest, really) => {
      await opened;
      return really(request);
    }),
  });
  const source = await stream.reading(0);
  source.deliver(0, records(1));
  await source.taken();
  source.deliver(0, records(2_001, 1));
  let isTaken = false;
  const taken = source.taken().then(() => {
    isTaken = true;
  });
  await new Promise(setImmediate);
  expect(isTaken).toBe(false);
  gate.open?.();
  await taken;
  await rig.positionIs(0, 2_001);
  expect(source.told).not.toContain('paused 0');
});

test('a group that could not be joined is tried again, and the hold is over once it is joined', async () => {
  let tries = 0;
  const stream = await rig.start({
    onStart: () => {
      tries += 1;
      return tries <= 2 ? Promise.reject(new StreamError('BROKER_UNREACHABLE', 'a test', 'Wait')) : Promise.resolve();
    },
  });
  const source = await stream.source(3);
  expect(stream.progress.snapshot().holding).toBe(1);
  source.assign(0);
  await waitFor('the partition to be read', () => source.isFetching(0));
  // Else the watchdog would take every later standstill for a wait for something outside.
  expect(stream.progress.snapshot()).toMatchObject({ holding: 0, holds: 1 });
});

test('a source that crashes is replaced, and what it had not stored is read again', async () => {
  const stream = await rig.start();
  const first = await stream.reading(0);
  first.deliver(0, records(3));
  await rig.positionIs(0, 3);
  first.crash(new StreamError('BROKER_UNREACHABLE', 'a test', 'Wait'));
  const second = await stream.source(2);
  expect(first.isStopped()).toBe(true);
  second.assign(0);
  await waitFor('the partition to be read', () => second.isFetching(0));
  second.deliver(0, records(6, second.nextOf(0)));
  await rig.positionIs(0, 6);
  expect(rig.counters()).toMatchObject({ stored: 6, duplicate: 0 });
});

test('a member that got on with the log is back soon however often it is cut off', async () => {
  const stream = await rig.start();
  const TIMES = 4;
  for (let time = 1; time <= TIMES; time += 1) {
    const source = await stream.source(time);
    source.assign(0);
    await waitFor('the partition to be read', () => source.isFetching(0));
    source.deliver(0, records(time, time - 1));
    await rig.positionIs(0, time);
    source.crash(new StreamError('BROKER_UNREACHABLE', 'a test', 'Wait'));
    await waitFor('it to leave', source.isStopped);
  }
  await stream.source(TIMES + 1);
  expect(rig.rows()).toEqual(upTo(TIMES));
  const waits = stream.lines.filter(({ msg }) => msg === 'comes back to the group').map(({ waitMs }) => waitMs);
  expect(waits).toHaveLength(TIMES);
  // Were these failures in a row, it would double from 200 ms on, up to ten seconds.
  for (const waitMs of waits) expect(waitMs).toBeLessThanOrEqual(300);
});
