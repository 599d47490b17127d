import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { storable } from '../../../../producer/submission.ts';
import { uuidNo } from '../../../support/builders.ts';
import {
  type Box,
  countsOf,
  type Folder,
  newFolder,
  openBox,
  rememberedIn,
  submissionNo,
  submissionsFrom,
} from '../../../support/faults-outbox.ts';

let folder: Folder;
let box: Box;
beforeEach(() => {
  folder = newFolder();
  box = openBox(folder.file);
});
afterEach(() => {
  box.outbox.close();
  folder.remove();
});

/** Every statement of the connection that is no prepared one, in order. */
const watchStatements = (fail: (sql: string) => boolean = () => false): readonly string[] => {
  const { database } = box.outbox;
  const exec = database.exec.bind(database);
  const seen: string[] = [];
  database.exec = (sql) => {
    seen.push(sql);
    if (fail(sql)) throw Object.assign(new Error('made by the test'), { errcode: 13 });
    exec(sql);
  };
  return seen;
};

const nothingIsKept = (): void => {
  expect({ rows: box.ids(), remembered: rememberedIn(box), accepted: box.status().accepted }).toEqual({
    rows: [],
    remembered: [],
    accepted: 0,
  });
};

test('a report leaves its row, the memory of its id and its count in one transaction', () => {
  const statements = watchStatements();
  expect(box.append([submissionNo(1, {}, 3)])).toEqual([{ kept: true, counts: countsOf(3) }]);
  expect(statements).toEqual(['begin immediate', 'commit']);
  expect({ rows: box.ids(), remembered: rememberedIn(box), accepted: box.status().accepted }).toEqual({
    rows: [uuidNo(1)],
    remembered: [uuidNo(1)],
    accepted: 1,
  });
});

test.each(['remembered', 'waiting', 'totals'])(
  'when writing to %s fails, nothing of the whole group is kept',
  (table) => {
    box.outbox.database.exec(
      `create trigger refuses before insert on ${table} begin select raise(abort, 'made by the test'); end`,
    );
    expect(() => box.append(submissionsFrom(1, 3))).toThrow();
    box.outbox.database.exec('drop trigger refuses');
    nothingIsKept();
    expect(box.append(submissionsFrom(1, 3)).every(({ kept }) => kept)).toBe(true);
  },
);

test('a commit that fails is rolled back, so that what was refused is not in the file', () => {
  let failures = 1;
  watchStatements((sql) => sql === 'commit' && failures-- > 0);
  expect(() => box.append(submissionsFrom(1, 3))).toThrow();
  expect(box.outbox.database.isTransaction).toBe(false);
  nothingIsKept();
});

test('many reports are one transaction, and each has its own answer, in order', () => {
  const statements = watchStatements();
  const group = Array.from({ length: 500 }, (_, index) => submissionNo(index + 1, {}, index));
  expect(box.append(group)).toEqual(group.map((_, index) => ({ kept: true, counts: countsOf(index) })));
  expect(statements).toEqual(['begin immediate', 'commit']);
  expect(box.ids()).toEqual(group.map(({ eventId }) => eventId));
});

test('the same call again, in the same group or later, gets the first answer and no second row', () => {
  const first = submissionNo(1, {}, 1);
  const again = submissionNo(1, { occurredAt: 1_900_000_000_000 }, 2);
  const expected = { kept: true, counts: countsOf(1) };
  expect(box.append([first, again])).toEqual([expected, expected]);
  expect(box.append([again])).toEqual([expected]);
  expect(box.ids()).toEqual([uuidNo(1)]);
  expect(box.status()).toMatchObject({ accepted: 1, repeatedSame: 2, repeatedOther: 0 });
});

test('the same call with another content keeps the first and is counted apart', () => {
  box.append([submissionNo(1, { tipo: 'laco' }, 1)]);
  expect(box.append([submissionNo(1, { tipo: 'cancelamento_pelo_usuario' }, 2)])).toEqual([
    { kept: true, counts: countsOf(1) },
  ]);
  expect(box.status()).toMatchObject({ accepted: 1, repeatedSame: 0, repeatedOther: 1, waiting: 1 });
});

test('a call is known after its row has gone, also to another process', () => {
  box.append([submissionNo(1, {}, 1)]);
  box.rows.drop(box.rows.oldest(10, 0).map(({ seq }) => seq));
  box.outbox.close();
  box = openBox(folder.file);
  expect(box.append([submissionNo(1, {}, 2)])).toEqual([{ kept: true, counts: countsOf(1) }]);
  expect(box.status()).toMatchObject({ accepted: 1, relayed: 1, repeatedSame: 1, waiting: 0 });
});

test('refusals that come along are counted in the same transaction, or not at all', () => {
  const refusals = new Map([['refused.TIPO_UNKNOWN', 2] as const]);
  let failures = 1;
  watchStatements((sql) => sql === 'commit' && failures-- > 0);
  expect(() => box.appender.append(submissionsFrom(1, 1).map(storable), refusals)).toThrow();
  expect(box.status().refused).toEqual({});
  box.appender.append(submissionsFrom(1, 1).map(storable), refusals);
  expect(box.status().refused).toEqual({ TIPO_UNKNOWN: 2 });
});
