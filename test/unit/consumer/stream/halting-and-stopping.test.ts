/** A halt ends the process and stays until somebody decides; a stop ends within its limit, whatever hangs. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { flushing, goodAt, openRig, type Rig, upTo, wrongAt } from '../../../support/stream-rig.ts';
import { waitFor } from '../../../support/wait-for.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await openRig();
});
afterEach(() => rig.close());

const records = (end: number, from = 0) => upTo(end, from).map(goodAt);
const wrong = (end: number, from = 0) => upTo(end, from).map(wrongAt);
const HALTED = { code: 'HALTED', next: expect.stringContaining('deviations sink --accept-quarantine') };

describe('a partition of which most records are wrong', () => {
  test('halts, halts again after a restart, and goes on once somebody accepts it', async () => {
    const first = await rig.start();
    (await first.reading(0)).deliver(0, [...records(100), ...wrong(2_500, 100)]);
    expect(await first.ended).toMatchObject(HALTED);
    expect(rig.position(0)).toBeGreaterThanOrEqual(2_000);
    const before = rig.counters();

    const again = await rig.start();
    (await again.source()).assign(0);
    expect(await again.ended).toMatchObject(HALTED);
    expect(rig.counters()).toEqual(before);

    const accepting = await rig.start({ acceptQuarantine: true });
    const source = await accepting.reading(0);
    source.deliver(0, [...wrong(6_000, source.nextOf(0)), ...records(6_010, 6_000)]);
    await rig.positionIs(0, 6_010);
    expect(rig.counters()).toEqual({ stored: 110, duplicate: 0, filtered: 0, quarantined: 5_900 });
  });

  test('does not halt when it is not more than half', async () => {
    const stream = await rig.start();
    const source = await stream.reading(0);
    source.deliver(
      0,
      upTo(4_200).map((at) => (at % 2 === 0 ? goodAt(at) : wrongAt(at))),
    );
    await rig.positionIs(0, 4_200);
    source.deliver(0, records(4_201, 4_200));
    await rig.positionIs(0, 4_201);
    expect(rig.counters()).toMatchObject({ quarantined: 2_100 });
  });

  test('lets the slices in hand of other partitions commit', async () => {
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
    source.deliver(1, records(3));
    source.deliver(0, wrong(2_100, 100));
    await rig.positionIs(0, 2_100);
    gate.open?.();
    expect(await stream.ended).toMatchObject(HALTED);
    expect(rig.position(1)).toBe(3);
    expect(source.told.slice(-2)).toEqual(['committed 1 3', 'stopped']);
  });
});

describe('a stop', () => {
  test('finishes the slice in hand, commits it and leaves, and begins nothing more', async () => {
    const gate: { open?: () => void } = {};
    const opened = new Promise<void>((resolve) => {
      gate.open = resolve;
    });
    let flushes = 0;
    const stream = await rig.start({
      wrap: flushing(async (request, really) => {
        flushes += 1;
        await opened;
        return really(request);
      }),
    });
    const source = await stream.reading(0);
    source.deliver(0, records(500));
    source.deliver(0, records(900, 500));
    await waitFor('a flush to be under way', () => flushes === 1);
    stream.stop();
    gate.open?.();
    expect(await stream.ended).toBeUndefined();
    expect(rig.position(0)).toBe(500);
    expect(flushes).toBe(1);
    expect(source.told.slice(-2)).toEqual(['committed 0 500', 'stopped']);
  });

  test('ends within its limit though the database hangs, and says so', async () => {
    const stream = await rig.start({ wrap: flushing(() => new Promise(() => {})), stopLimitMs: 200 });
    const source = await stream.reading(0);
    source.deliver(0, records(3));
    stream.stop();
    expect(await stream.ended).toBeUndefined();
    expect(stream.lines.map(({ msg }) => msg)).toContain('did not stop within its limit');
    expect(rig.rows()).toEqual([]);
  });

  test('does not wait while the database is held for: it commits what is flushed and leaves', async () => {
    let isAway = false;
    const stream = await rig.start({
      wrap: flushing((request, really) => (isAway ? Promise.reject(new Error('away')) : really(request))),
    });
    const source = await stream.reading(0);
    source.deliver(0, records(3));
    await rig.positionIs(0, 3);
    isAway = true;
    source.deliver(0, records(6, 3));
    await waitFor('a hold', () => stream.progress.snapshot().holding === 1);
    stream.stop();
    expect(await stream.ended).toBeUndefined();
    expect(stream.lines.map(({ msg }) => msg)).not.toContain('did not stop within its limit');
    expect(source.told.slice(-2)).toEqual(['committed 0 3', 'stopped']);
    expect(rig.position(0)).toBe(3);
  });

  test('waits for the attempt in hand of a hold, and makes no other', async () => {
    let attempts = 0;
    const gate = Promise.withResolvers<void>();
    const stream = await rig.start({
      wrap: flushing(async (request, really) => {
        attempts += 1;
        if (attempts === 1) throw new Error('away');
        await gate.promise;
        return really(request);
      }),
    });
    const source = await stream.reading(0);
    source.deliver(0, records(3));
    await waitFor('the second attempt', () => attempts === 2);
    stream.stop();
    gate.resolve();
    expect(await stream.ended).toBeUndefined();
    expect(rig.position(0)).toBe(3);
    expect(source.told.slice(-2)).toEqual(['committed 0 3', 'stopped']);
  });

  test('ends before the group was joined', async () => {
    const stream = await rig.start({ onStart: () => new Promise(() => {}) });
    const source = await stream.source();
    stream.stop();
    expect(await stream.ended).toBeUndefined();
    expect(source.told).toEqual(['stopped']);
  });

  test('ends though the broker never answers the question for its ends', async () => {
    let asked = 0;
    const stream = await rig.start({
      ends: () => {
        asked += 1;
        return new Promise(() => {});
      },
      stopLimitMs: 200,
      watchMs: 5,
    });
    (await stream.source()).assign(0);
    // The claim asks once, the watchdog after it.
    await waitFor('the watchdog to ask', () => asked === 2);
    stream.stop();
    expect(await stream.ended).toBeUndefined();
  });
});
