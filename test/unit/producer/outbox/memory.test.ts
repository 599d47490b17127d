import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { MEMORY } from '../../../../producer/outbox/limits.ts';
import { NOON_MS, uuidNo } from '../../../support/builders.ts';
import {
  type Box,
  type Folder,
  newFolder,
  openBox,
  rememberedIn,
  submissionNo,
  submissionsFrom,
} from '../../../support/faults-outbox.ts';

const DAY_MS = 24 * 3_600_000;

let folder: Folder;
let box: Box;
let nowMs: number;
const open = (memory: { readonly forMs: number; readonly maxIds: number } = MEMORY): void => {
  box = openBox(folder.file, { nowMs: () => nowMs, memory });
};
beforeEach(() => {
  folder = newFolder();
  nowMs = NOON_MS;
});
afterEach(() => {
  box.outbox.close();
  folder.remove();
});

const drop = (count: number): void => box.rows.drop(box.rows.oldest(count, 0).map(({ seq }) => seq));

test('an id is remembered for seven days and a million calls', () => {
  open();
  expect(MEMORY).toEqual({ forMs: 7 * DAY_MS, maxIds: 1_000_000 });
});

test('an id is known for seven days and forgotten after them', () => {
  open();
  box.append([submissionNo(1)]);
  drop(1);
  nowMs += 7 * DAY_MS;
  box.append([submissionNo(2)]);
  expect(rememberedIn(box)).toEqual([uuidNo(1), uuidNo(2)]);
  // It is looked through once a second.
  nowMs += 1_000;
  box.append([submissionNo(3)]);
  expect(rememberedIn(box)).toEqual([uuidNo(2), uuidNo(3)]);
});

test('forgetting an old id takes no young one along', () => {
  open();
  box.append([submissionNo(1)]);
  drop(1);
  nowMs += 6 * DAY_MS;
  box.append(submissionsFrom(2, 50));
  drop(50);
  nowMs += 2 * DAY_MS;
  box.append([submissionNo(60)]);
  expect(rememberedIn(box)).toEqual([...submissionsFrom(2, 50), submissionNo(60)].map(({ eventId }) => eventId));
});

test('an id whose row is set aside for weeks is kept, and keeps no other from its seven days', () => {
  open();
  box.append([submissionNo(1)]);
  box.rows.setAside(box.rows.oldest(1, 0)[0]?.seq ?? 0, 'MESSAGE_TOO_LARGE');
  nowMs += 8 * DAY_MS;
  box.append(submissionsFrom(2, 5));
  drop(5);
  box.append([submissionNo(10)]);
  expect(rememberedIn(box)).toEqual([1, 2, 3, 4, 5, 6, 10].map(uuidNo));
  nowMs += 8 * DAY_MS;
  drop(1);
  box.append([submissionNo(11)]);
  expect(rememberedIn(box)).toEqual([1, 11].map(uuidNo));
});

test('past its maximum the oldest are forgotten, those that wait excepted', () => {
  open({ forMs: 7 * DAY_MS, maxIds: 5 });
  box.append(submissionsFrom(1, 5));
  const [, second] = box.rows.oldest(5, 0);
  box.rows.setAside(second?.seq ?? 0, 'MESSAGE_TOO_LARGE');
  drop(4);
  box.append(submissionsFrom(6, 2));
  expect(rememberedIn(box)).toEqual([2, 4, 5, 6, 7].map(uuidNo));
});

test('the million and first call makes the first one forgotten, and no other', () => {
  open();
  const { database } = box.outbox;
  database.exec(`
    begin;
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000000)
    insert into remembered (event_id, content_hash, counts, at)
      select unhex(printf('%08x000040008000000000000000', i)), x'00', '[]', ${NOON_MS} from n;
    insert into totals (name, value) values ('remembered', 1000000), ('accepted', 1000000);
    commit;
    pragma wal_checkpoint(truncate)`);
  box.append([submissionNo(1)]);
  expect(database.prepare('select count(*) as n, min(age) as oldest from remembered').get()).toMatchObject({
    n: 1_000_000,
    oldest: 2,
  });
});
