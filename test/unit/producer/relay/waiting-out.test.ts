/** How long the relay waits: longer with each failure, up to a cap, and from the beginning again once something worked. */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { WaitingRows } from '../../../../producer/outbox/waiting-rows.ts';
import { brokerSays, HOLDS, type TriedRelay, tryRelay } from '../../../support/faults-relay.ts';
import { submissionNo } from '../../../support/faults-outbox.ts';

const FIRST_MS = 100;
const CAP_MS = 30_000;

/** Rows in memory: the clock of these tests is not the disk's. */
const rowsInMemory = (count: number): WaitingRows & { add(): void } => {
  let rows = Array.from({ length: count }, (_, seq) => seq + 1);
  let last = count;
  return {
    oldest: (most) =>
      rows.slice(0, most).map((seq) => {
        const { key, headers, body, schemaHash } = submissionNo(seq);
        return { seq, key, headers, body, schemaHash };
      }),
    count: () => rows.length,
    drop: (seqs) => {
      rows = rows.filter((seq) => !seqs.includes(seq));
    },
    setAside: () => {},
    countRetry: () => {},
    tell: () => {},
    add: () => {
      last += 1;
      rows.push(last);
    },
  };
};

let tried: TriedRelay | undefined;
beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(async () => {
  await tried?.relay.stop();
  tried = undefined;
  jest.useRealTimers();
});

const waits = (): readonly number[] =>
  (tried?.entries ?? []).filter(({ what }) => what === HOLDS).map(({ fields }) => fields.waitMs ?? 0);

/** Lets the clock run until there were so many holds. */
const untilHolds = async (count: number): Promise<void> => {
  for (let step = 0; step < 10_000 && waits().length < count; step += 1) await jest.advanceTimersByTimeAsync(500);
  expect(waits().length).toBeGreaterThanOrEqual(count);
};

test('each wait lies around twice the one before, up to the cap, for ever', async () => {
  tried = tryRelay(rowsInMemory(1), () => {
    throw brokerSays('ECONNREFUSED');
  });
  await untilHolds(40);
  waits().forEach((waitMs, attempt) => {
    const mean = Math.min(CAP_MS, FIRST_MS * 2 ** attempt);
    expect(waitMs).toBeGreaterThanOrEqual(mean / 2);
    expect(waitMs).toBeLessThanOrEqual(mean * 1.5);
  });
  // Jittered: those who failed together do not come back together.
  expect(new Set(waits().slice(10)).size).toBeGreaterThan(5);
});

test('after a success the next failure waits as the first did', async () => {
  let isDown = true;
  const rows = rowsInMemory(1);
  tried = tryRelay(rows, () => {
    if (isDown) throw brokerSays('ECONNREFUSED');
  });
  await untilHolds(8);
  isDown = false;
  await jest.advanceTimersByTimeAsync(2 * CAP_MS);
  expect(rows.count()).toBe(0);
  isDown = true;
  const before = waits().length;
  rows.add();
  tried.relay.wake();
  await untilHolds(before + 1);
  expect(waits()[before]).toBeLessThanOrEqual(FIRST_MS * 1.5);
});

test('a dropping that works at last is a success too', async () => {
  let isFull = true;
  const rows = rowsInMemory(1);
  let isDown = false;
  tried = tryRelay(
    {
      ...rows,
      drop: (seqs) => {
        if (isFull) throw Object.assign(new Error('made by the test'), { errcode: 13 });
        rows.drop(seqs);
      },
    },
    () => {
      if (isDown) throw brokerSays('ECONNREFUSED');
    },
  );
  await untilHolds(8);
  isFull = false;
  await jest.advanceTimersByTimeAsync(2 * CAP_MS);
  expect(rows.count()).toBe(0);
  expect(tried.sends).toHaveLength(1);
  isDown = true;
  const before = waits().length;
  rows.add();
  tried.relay.wake();
  await untilHolds(before + 1);
  expect(waits()[before]).toBeLessThanOrEqual(FIRST_MS * 1.5);
});

test('new rows do not shorten a wait, and a stop ends it', async () => {
  const rows = rowsInMemory(1);
  tried = tryRelay(rows, () => {
    throw brokerSays('ECONNREFUSED');
  });
  await untilHolds(10);
  const before = tried.sends.length;
  for (let report = 0; report < 100; report += 1) {
    rows.add();
    tried.relay.wake();
    await jest.advanceTimersByTimeAsync(1);
  }
  expect(tried.sends.length).toBe(before);
  await tried.relay.stop();
  expect(tried.senders().closed).toBe(tried.senders().made);
});

test('an idle relay gives its connection up, and takes a new one for the next row', async () => {
  const rows = rowsInMemory(1);
  tried = tryRelay(rows, () => {});
  await jest.advanceTimersByTimeAsync(1_000);
  expect(tried.senders()).toEqual({ made: 1, closed: 0 });
  await jest.advanceTimersByTimeAsync(60_000);
  expect(tried.senders()).toEqual({ made: 1, closed: 1 });
  rows.add();
  tried.relay.wake();
  await jest.advanceTimersByTimeAsync(1_000);
  expect(rows.count()).toBe(0);
  expect(tried.senders()).toEqual({ made: 2, closed: 1 });
});
