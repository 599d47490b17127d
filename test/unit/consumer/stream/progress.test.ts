import { describe, expect, test } from '@jest/globals';
import { createProgress } from '../../../../consumer/index.ts';
import { STUCK_AFTER_MS } from '../../../../consumer/stream/progress.ts';
import { kafka } from '../../../../wire/index.ts';

const NONE = { stored: 0, duplicate: 0, filtered: 0, quarantined: 0 };
const at = kafka.offset;
const endAt = (end: number, partition = 0): kafka.PartitionEnds => ({ partition, start: at(0), end: at(end) });

/** A progress whose two clocks stand still until told: the wall clock may also go back. */
const aProgress = () => {
  const clock = { wallMs: 1_000_000, tickMs: 0 };
  const progress = createProgress(
    () => clock.wallMs,
    () => clock.tickMs,
  );
  const pass = (ms: number): void => {
    clock.wallMs += ms;
    clock.tickMs += ms;
  };
  return { clock, progress, pass };
};

const claimedAt = (position: number) => {
  const all = aProgress();
  all.progress.assigned([0]);
  all.progress.claimed(0, at(position));
  return all;
};

describe('the lag', () => {
  test('is what lies between the position and the end, in records and in seconds', () => {
    const { clock, progress, pass } = claimedAt(10);
    progress.sawEnds([endAt(30)]);
    expect(progress.snapshot().partitions).toEqual([{ partition: 0, lagRecords: 20, lagSeconds: 0 }]);
    progress.flushed(0, at(15), { ...NONE, stored: 5 }, clock.wallMs);
    pass(4_000);
    expect(progress.snapshot().partitions).toEqual([{ partition: 0, lagRecords: 15, lagSeconds: 4 }]);
    progress.flushed(0, at(30), { ...NONE, stored: 15 }, clock.wallMs);
    pass(4_000);
    expect(progress.snapshot().partitions).toEqual([{ partition: 0, lagRecords: 0, lagSeconds: 0 }]);
  });

  test('is never below zero: an end seen late, a clock set back', () => {
    const { clock, progress } = claimedAt(10);
    progress.flushed(0, at(20), NONE, clock.wallMs);
    progress.sawEnds([endAt(15)]);
    expect(progress.snapshot().partitions).toMatchObject([{ lagRecords: 0 }]);
    progress.sawEnds([endAt(30)]);
    clock.wallMs -= 3_600_000;
    expect(progress.snapshot().partitions).toEqual([{ partition: 0, lagRecords: 10, lagSeconds: 0 }]);
  });

  test('is told of assigned partitions alone', () => {
    const { progress } = claimedAt(10);
    progress.sawEnds([endAt(30), endAt(40, 1)]);
    expect(progress.snapshot().partitions).toMatchObject([{ partition: 0 }]);
    progress.assigned([1]);
    progress.flushed(0, at(30), NONE, undefined);
    expect(progress.snapshot().partitions).toMatchObject([{ partition: 1 }]);
  });
});

describe('being stuck', () => {
  test('is no advance for a minute while records wait', () => {
    const { progress, pass } = claimedAt(10);
    progress.sawEnds([endAt(30)]);
    pass(STUCK_AFTER_MS);
    progress.sawEnds([endAt(30)]);
    expect(progress.snapshot().isStuck).toBe(false);
    pass(1);
    expect(progress.snapshot().isStuck).toBe(true);
    progress.flushed(0, at(11), NONE, undefined);
    expect(progress.snapshot().isStuck).toBe(false);
  });

  test('is not waiting for records that do not come', () => {
    const { progress, pass } = claimedAt(10);
    for (let minute = 0; minute < 5; minute += 1) {
      progress.sawEnds([endAt(10)]);
      pass(STUCK_AFTER_MS);
    }
    expect(progress.snapshot().isStuck).toBe(false);
    // The minute counts from when records began to wait.
    progress.sawEnds([endAt(11)]);
    expect(progress.snapshot().isStuck).toBe(false);
  });

  test('is also a minute without a word from the broker', () => {
    const { progress, pass } = claimedAt(10);
    progress.sawEnds([endAt(10)]);
    pass(STUCK_AFTER_MS + 1);
    expect(progress.snapshot().isStuck).toBe(true);
    progress.sawEnds([endAt(10)]);
    expect(progress.snapshot().isStuck).toBe(false);
  });

  test('is neither caused nor hidden by a clock set back or forward', () => {
    const { clock, progress, pass } = claimedAt(10);
    progress.sawEnds([endAt(30)]);
    clock.wallMs += 86_400_000;
    expect(progress.snapshot().isStuck).toBe(false);
    clock.wallMs -= 2 * 86_400_000;
    pass(STUCK_AFTER_MS + 1);
    progress.sawEnds([endAt(30)]);
    expect(progress.snapshot().isStuck).toBe(true);
  });

  test('lasts until it advances, also when the group is left and joined again', () => {
    const { progress, pass } = claimedAt(10);
    progress.sawEnds([endAt(30)]);
    pass(STUCK_AFTER_MS + 1);
    progress.sawEnds([endAt(30)]);
    progress.left();
    expect(progress.snapshot().isStuck).toBe(true);
    progress.assigned([0]);
    progress.sawEnds([endAt(30)]);
    progress.claimed(0, at(10));
    expect(progress.snapshot().isStuck).toBe(true);
    progress.flushed(0, at(11), NONE, undefined);
    expect(progress.snapshot().isStuck).toBe(false);
  });

  test('is a reason to rejoin once in so long, and only without a hold', () => {
    const { progress, pass } = claimedAt(10);
    const stuckFor = (ms: number): void => {
      pass(ms);
      progress.sawEnds([endAt(30)]);
    };
    stuckFor(STUCK_AFTER_MS + 1);
    expect(progress.snapshot().shouldRejoin).toBe(true);
    progress.holds('flush 0', true);
    expect(progress.snapshot().shouldRejoin).toBe(false);
    progress.holds('flush 0', false);
    progress.left();
    expect(progress.snapshot().shouldRejoin).toBe(false);
    progress.assigned([0]);
    progress.claimed(0, at(10));
    stuckFor(STUCK_AFTER_MS);
    expect(progress.snapshot()).toMatchObject({ isStuck: true, shouldRejoin: false });
    stuckFor(1);
    expect(progress.snapshot().shouldRejoin).toBe(true);
  });

  test('is not said of a consumer that waits to begin', () => {
    const { progress, pass } = aProgress();
    progress.holds('start', true);
    pass(10 * STUCK_AFTER_MS);
    expect(progress.snapshot()).toMatchObject({ isStuck: false, isReady: false, holding: 1 });
  });
});

describe('being ready', () => {
  test('is to have claimed every partition that was assigned', () => {
    const { progress } = aProgress();
    expect(progress.snapshot().isReady).toBe(false);
    progress.assigned([0, 1]);
    progress.claimed(0, at(1));
    expect(progress.snapshot().isReady).toBe(false);
    progress.claimed(1, at(1));
    expect(progress.snapshot().isReady).toBe(true);
    progress.assigned([0, 1]);
    expect(progress.snapshot().isReady).toBe(false);
  });

  test('ends when the group is left, and begins anew with the next claims', () => {
    const { progress } = claimedAt(1);
    expect(progress.snapshot().isReady).toBe(true);
    progress.left();
    expect(progress.snapshot().isReady).toBe(false);
    progress.assigned([0]);
    expect(progress.snapshot().isReady).toBe(false);
    progress.claimed(0, at(1));
    expect(progress.snapshot().isReady).toBe(true);
  });

  test('is a member without a partition, too: it stands by', () => {
    const { progress } = aProgress();
    progress.assigned([]);
    expect(progress.snapshot().isReady).toBe(true);
  });
});

test('counts outcomes, reasons, holds and epoch losses, each hold once', () => {
  const { progress } = claimedAt(0);
  progress.flushed(0, at(4), { stored: 1, duplicate: 1, filtered: 1, quarantined: 1 }, undefined);
  progress.flushed(7, at(4), { ...NONE, stored: 1 }, undefined);
  progress.quarantined('NOT_FRAMED');
  progress.quarantined('NOT_FRAMED');
  progress.holds('flush 0', true);
  progress.holds('flush 0', true);
  progress.holds('claim 1', true);
  expect(progress.snapshot()).toMatchObject({ holding: 2, holds: 2 });
  progress.holds('flush 0', false);
  progress.holds('flush 0', true);
  progress.epochLost();
  expect(progress.snapshot()).toMatchObject({
    outcomes: { stored: 2, duplicate: 1, filtered: 1, quarantined: 1 },
    holding: 2,
    holds: 3,
    epochLosses: 1,
  });
  expect([...progress.snapshot().reasons]).toEqual([['NOT_FRAMED', 2]]);
});
