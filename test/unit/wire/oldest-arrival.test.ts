import { expect, test } from '@jest/globals';
import { kafka } from '../../../wire/index.ts';
import { oldestArrival } from '../../../wire/kafka/oldest-arrival.ts';

const NOW_MS = Date.parse('2026-11-30T12:00:00Z');

/** A log by the ages of its records, in milliseconds, and how often it was asked. */
const logOf = (agesMs: Readonly<Record<number, readonly number[]>>) => {
  let asked = 0;
  return {
    asked: () => asked,
    offsetsAt: (timeMs: number) => {
      asked += 1;
      return Promise.resolve(
        new Map(
          Object.entries(agesMs).map(([partition, ages]): [number, kafka.Offset] => {
            const first = ages.findIndex((ageMs) => NOW_MS - ageMs >= timeMs);
            return [Number(partition), kafka.offset(first < 0 ? ages.length : first)];
          }),
        ),
      );
    },
  };
};

const DAY_MS = 86_400_000;
const LOG = { 0: [9 * DAY_MS, 3_600_000, 12_000, 300], 1: [50_000, 20_000] };

test.each([
  ['the younger partition’s is the oldest', { 0: 2, 1: 0 }, 50_000],
  ['one partition alone', { 0: 2 }, 12_000],
  ['an hour', { 0: 1, 1: 1 }, 3_600_000],
  ['nine days', { 0: 0 }, 9 * DAY_MS],
  ['younger than a second', { 0: 3 }, 300],
])('finds the age of records it does not read: %s', async (_, records, ageMs) => {
  const log = logOf(LOG);
  const places = new Map(
    Object.entries(records).map(([partition, at]): [number, kafka.Offset] => [Number(partition), kafka.offset(at)]),
  );
  const arrivedAtMs = await oldestArrival(log.offsetsAt, places, NOW_MS);
  expect(NOW_MS - arrivedAtMs).toBeGreaterThanOrEqual(ageMs);
  expect(NOW_MS - arrivedAtMs).toBeLessThanOrEqual(ageMs + 250);
  expect(log.asked()).toBeLessThan(60);
});

test('takes a record from ahead of this clock for one of now', async () => {
  const log = logOf({ 0: [-5_000] });
  expect(await oldestArrival(log.offsetsAt, new Map([[0, kafka.offset(0)]]), NOW_MS)).toBe(NOW_MS);
});

test('ends at the beginning of time with a log whose times mean nothing', async () => {
  const never = { offsetsAt: () => Promise.resolve(new Map([[0, kafka.offset(9)]])) };
  expect(await oldestArrival(never.offsetsAt, new Map([[0, kafka.offset(1)]]), NOW_MS)).toBeLessThan(1_000);
});
