/** The watchdog: a member that takes nothing while records wait leaves and comes back; one that waits for something outside stays. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { STUCK_AFTER_MS } from '../../../../consumer/stream/progress.ts';
import { kafka, StreamError } from '../../../../wire/index.ts';
import { flushing, goodAt, openRig, type Rig, type RigOptions, upTo } from '../../../support/stream-rig.ts';
import { waitFor } from '../../../support/wait-for.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await openRig();
});
afterEach(() => rig.close());

const records = (end: number, from = 0) => upTo(end, from).map(goodAt);
const ENDS = [{ partition: 0, start: kafka.offset(0), end: kafka.offset(1_000) }];

/** A stream whose watchdog has a clock that a test sets, and looks often. */
const watched = async (options: RigOptions = {}) => {
  const clock = { ms: 0 };
  let looks = 0;
  const stream = await rig.start({
    watchMs: 5,
    tickMs: () => clock.ms,
    ends: () => {
      looks += 1;
      return Promise.resolve(ENDS);
    },
    ...options,
  });
  const source = await stream.reading(0);
  /** Waits until it has looked at how things are now. */
  const looksAgain = async (): Promise<void> => {
    const before = looks;
    await waitFor('the watchdog to look again', () => looks >= before + 3);
  };
  await looksAgain();
  return { stream, source, clock, looksAgain };
};

test('without progress for a minute it leaves, is not ready, comes back, and goes on; once a minute at most', async () => {
  const { stream, source, clock, looksAgain } = await watched();
  expect(stream.progress.snapshot()).toMatchObject({ isReady: true, isStuck: false });
  clock.ms += STUCK_AFTER_MS + 1;
  await waitFor('the source to be stopped', source.isStopped);
  expect(stream.lines.map(({ msg }) => msg)).toContain('makes no progress while records wait, rejoins');
  expect(stream.progress.snapshot()).toMatchObject({ isReady: false, isStuck: true });

  const second = await stream.source(2);
  second.assign(0);
  await waitFor('the partition to be read', () => second.isFetching(0));
  await looksAgain();
  // Still stuck, for nothing has advanced; but it has only just come back.
  expect(stream.progress.snapshot()).toMatchObject({ isReady: true, isStuck: true });
  expect(stream.sourceCount()).toBe(2);
  second.deliver(0, records(3));
  await rig.positionIs(0, 3);
  await waitFor('the advance to be seen', () => !stream.progress.snapshot().isStuck);
  expect(rig.rows()).toEqual([0, 1, 2]);
});

test('that waits for something outside it stays in the group', async () => {
  const { stream, source, clock, looksAgain } = await watched({
    stopLimitMs: 200,
    wrap: flushing(() => Promise.reject(new StreamError('DATABASE_UNREACHABLE', 'a test', 'Wait'))),
  });
  source.deliver(0, records(3));
  await waitFor('a hold to be seen', () => stream.progress.snapshot().holding === 1);
  clock.ms += STUCK_AFTER_MS + 1;
  await looksAgain();
  expect(stream.progress.snapshot()).toMatchObject({ isStuck: true, shouldRejoin: false });
  expect(source.isStopped()).toBe(false);
});
