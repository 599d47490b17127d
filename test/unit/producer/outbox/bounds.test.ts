import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openForReading } from '../../../../wire/index.ts';
import {
  type Box,
  type Folder,
  newFolder,
  openBox,
  submissionNo,
  submissionsFrom,
} from '../../../support/faults-outbox.ts';

let folder: Folder;
let box: Box;
beforeEach(() => {
  folder = newFolder();
});
afterEach(() => {
  box.outbox.close();
  folder.remove();
});

const dropAll = (): void => box.rows.drop(box.rows.oldest(100_000, 0).map(({ seq }) => seq));
const keptOf = (answers: readonly { readonly kept: boolean }[]): number => answers.filter(({ kept }) => kept).length;

/** Appends groups until one of them is refused in part; answers how many were kept. */
const fill = (from: number, groupSize: number): number => {
  let kept = 0;
  for (;;) {
    const now = keptOf(box.append(submissionsFrom(from + kept, groupSize)));
    kept += now;
    if (now < groupSize) return kept;
  }
};

test('the row beyond the bound is refused, also within one group, and what was accepted stays', () => {
  box = openBox(folder.file, { limits: { maxRows: 3 } });
  expect(box.append(submissionsFrom(1, 5))).toMatchObject([
    { kept: true },
    { kept: true },
    { kept: true },
    { kept: false, code: 'OUTBOX_FULL' },
    { kept: false, code: 'OUTBOX_FULL' },
  ]);
  expect(box.append([submissionNo(6)])).toMatchObject([{ kept: false, code: 'OUTBOX_FULL' }]);
  expect(box.ids()).toEqual(submissionsFrom(1, 3).map(({ eventId }) => eventId));
  expect(box.status()).toMatchObject({ accepted: 3, waiting: 3, refused: { OUTBOX_FULL: 3 } });
});

test('a refused report is not remembered: it is taken once there is room', () => {
  box = openBox(folder.file, { limits: { maxRows: 1 } });
  box.append(submissionsFrom(1, 2));
  dropAll();
  expect(box.append([submissionNo(2)])).toMatchObject([{ kept: true }]);
  expect(box.status()).toMatchObject({ accepted: 2, repeatedSame: 0, waiting: 1 });
});

test('a repeated call gets its answer from a full outbox too', () => {
  box = openBox(folder.file, { limits: { maxRows: 1 } });
  box.append([submissionNo(1)]);
  expect(box.append([submissionNo(1)])).toMatchObject([{ kept: true }]);
});

test('rows that are set aside count against the bound until they are given up', () => {
  box = openBox(folder.file, { limits: { maxRows: 1 } });
  box.append([submissionNo(1)]);
  box.rows.setAside(box.rows.oldest(1, 0)[0]?.seq ?? 0, 'MESSAGE_TOO_LARGE');
  expect(box.append([submissionNo(2)])).toMatchObject([{ kept: false, code: 'OUTBOX_FULL' }]);
});

test('rows and their log together stay within the bytes, over many rounds of filling and draining', () => {
  const maxBytes = 400_000;
  box = openBox(folder.file, { limits: { maxBytes } });
  let next = 1;
  const perRound: number[] = [];
  for (let round = 0; round < 12; round += 1) {
    const kept = fill(next, 20);
    next += kept;
    perRound.push(kept);
    expect(box.status().bytes).toBeLessThanOrEqual(maxBytes);
    dropAll();
    expect(box.status()).toMatchObject({ waiting: 0, bytes: 0 });
  }
  // An emptied outbox takes about as much again: neither the log nor a miscounted byte may eat the room up.
  const [first = 0] = perRound;
  expect(first).toBeGreaterThan(100);
  expect(Math.min(...perRound)).toBeGreaterThan(first / 2);
});

test('a log that a reader keeps from shrinking counts, and its room comes back once the reader has gone', () => {
  const maxBytes = 400_000;
  box = openBox(folder.file, { limits: { maxBytes } });
  box.append([submissionNo(1)]);
  const reader = openForReading(folder.file);
  let next = 2;
  try {
    reader.exec('begin; select count(*) from waiting');
    reader.prepare('select count(*) from waiting').get();
    let kept = 1;
    for (let round = 0; round < 2_000 && kept > 0; round += 1) {
      kept = keptOf(box.append([submissionNo(next)]));
      next += kept;
      dropAll();
    }
    expect(kept).toBe(0);
    expect(box.outbox.walBytes()).toBeLessThan(2 * maxBytes);
  } finally {
    reader.close();
  }
  let taken = 0;
  for (let round = 0; round < 5 && taken === 0; round += 1) taken = keptOf(box.append([submissionNo(next)]));
  expect(taken).toBe(1);
});
