/** An id is known by whoever appends, however many there are, whatever was forgotten and whoever added it. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { NOON_MS } from '../../../support/builders.ts';
import {
  type Box,
  type BoxOptions,
  countsOf,
  type Folder,
  newFolder,
  openBox,
  rememberedIn,
  submissionNo,
  submissionsFrom,
} from '../../../support/faults-outbox.ts';

const DAY_MS = 24 * 3_600_000;

let folder: Folder;
let boxes: Box[];
let nowMs: number;
beforeEach(() => {
  folder = newFolder();
  boxes = [];
  nowMs = NOON_MS;
});
afterEach(() => {
  for (const box of boxes) box.outbox.close();
  folder.remove();
});

/** As another process does. */
const open = (options: BoxOptions = {}): Box => {
  const box = openBox(folder.file, { nowMs: () => nowMs, ...options });
  boxes.push(box);
  return box;
};
const dropAll = (box: Box): void => box.rows.drop(box.rows.oldest(100_000, 0).map(({ seq }) => seq));
const first = (n: number) => submissionNo(n, {}, 1);
const again = (n: number) => submissionNo(n, {}, 2);
const itsFirstAnswer = { kept: true, counts: countsOf(1) };

test('what one process appended is known to another that had looked before, and the other way round', () => {
  const [one, other] = [open(), open()];
  for (let n = 1; n <= 20; n += 2) {
    one.append([first(n)]);
    expect(other.append([again(n), first(n + 1)])).toEqual([itsFirstAnswer, itsFirstAnswer]);
    expect(one.append([again(n + 1)])).toEqual([itsFirstAnswer]);
  }
  expect(one.status()).toMatchObject({ accepted: 20, waiting: 20, repeatedSame: 20, repeatedOther: 0 });
});

test('each of many thousands is known, in the process that took it and in the next one', () => {
  const count = 10_000;
  const box = open();
  for (let from = 1; from <= count; from += 500) box.append(submissionsFrom(from, 500));
  const inTurn = [box, open()];
  for (let n = 1; n <= count; n += 37) expect(inTurn[n % 2]?.append([first(n)])).toMatchObject([{ kept: true }]);
  const repeats = Math.ceil(count / 37);
  expect(box.status()).toMatchObject({ accepted: count, waiting: count, repeatedSame: repeats });
});

test('after all of it was forgotten, what is taken next is known to every process all the same', () => {
  const [one, other] = [open(), open()];
  one.append(submissionsFrom(1, 50));
  other.append([first(1)]);
  dropAll(one);
  nowMs += 8 * DAY_MS;
  one.append([]);
  expect(rememberedIn(one)).toEqual([]);
  one.append([first(100)]);
  expect(other.append([again(100)])).toEqual([itsFirstAnswer]);
  expect(other.append([first(1)])).toEqual([itsFirstAnswer]);
  expect(one.append([again(1)])).toEqual([itsFirstAnswer]);
  expect(rememberedIn(one)).toHaveLength(2);
});

test('what was forgotten is taken again, over many times as many as are remembered', () => {
  const box = open({ memory: { forMs: 7 * DAY_MS, maxIds: 300 } });
  for (let from = 1; from <= 6_000; from += 100) {
    box.append(submissionsFrom(from, 100));
    dropAll(box);
    box.append(submissionsFrom(from, 100));
  }
  expect(rememberedIn(box)).toEqual(submissionsFrom(5_701, 300).map(({ eventId }) => eventId));
  expect(box.status()).toMatchObject({ accepted: 6_000, repeatedSame: 6_000 });
  box.append([first(1)]);
  expect(box.status()).toMatchObject({ accepted: 6_001, waiting: 1 });
});

test('what was undone is not known, and what takes its place is', () => {
  const [box, other] = [open(), open()];
  const { database } = box.outbox;
  box.append([first(1)]);
  database.exec("create trigger refuse before insert on totals begin select raise(abort, 'made by the test'); end");
  expect(() => box.append(submissionsFrom(2, 3))).toThrow();
  database.exec('drop trigger refuse');
  other.append([first(10), first(11)]);
  expect(box.append([first(2), again(10), again(11), again(2)])).toEqual(Array(4).fill(itsFirstAnswer));
  expect(box.ids()).toEqual([1, 10, 11, 2].map((n) => submissionNo(n).eventId));
});

test('two ids with one place in the index are two calls, each with its own answer', () => {
  // Found by trying: their hashes are the same.
  const [one, other] = ['000043ae-0000-7000-8000-0000082d9372', '00005ef6-0000-7000-8000-00000b797baa'];
  const box = open();
  expect(box.append([submissionNo(0, { eventId: one }, 1)])).toEqual([itsFirstAnswer]);
  expect(box.append([submissionNo(0, { eventId: other }, 2)])).toEqual([{ kept: true, counts: countsOf(2) }]);
  const repeats = [submissionNo(0, { eventId: other }, 3), submissionNo(0, { eventId: one }, 3)];
  expect(box.append(repeats)).toEqual([{ kept: true, counts: countsOf(2) }, itsFirstAnswer]);
  expect(box.ids()).toEqual([one, other]);
});
