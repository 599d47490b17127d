/** A file of an earlier format: everything in it comes along, once, whoever opens it first. */
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { readOutboxStatus } from '../../../../producer/index.ts';
import { NOON_MS, uuidNo } from '../../../support/builders.ts';
import {
  type Box,
  countsOf,
  type Folder,
  newFolder,
  openBox,
  rememberedIn,
  submissionNo,
} from '../../../support/faults-outbox.ts';

/** As the program of format 1 made it. */
const TABLES_1 = `
  create table if not exists waiting (
    seq         integer primary key,
    event_id    text not null,
    key         text not null,
    headers     text not null,
    body        blob not null,
    schema_hash text not null,
    bytes       integer not null,
    appended_at integer not null,
    aside_code  text,
    aside_at    integer
  ) strict;
  create index if not exists waiting_aside on waiting (seq) where aside_code is not null;
  create table if not exists remembered (
    age          integer primary key,
    event_id     text not null unique,
    content_hash text not null,
    counts       text not null,
    at           integer not null
  ) strict;
  create table if not exists totals (name text primary key, value integer not null) strict, without rowid;
  create table if not exists relay (one integer primary key check (one = 1), state text not null, code text, since integer not null) strict;
  pragma user_version = 1;
`;

const EVIDENCE = { kept: 1, duplicates: 2, malformed: 3, unknown: 4, overCeiling: 5 };
/** Of five reports the first two have gone, and the third is set aside. */
const fillOlder = (file: string): void => {
  const older = new DatabaseSync(file);
  older.exec(`pragma journal_mode = wal; ${TABLES_1}`);
  const remember = older.prepare('insert into remembered (event_id, content_hash, counts, at) values (?, ?, ?, ?)');
  const insert = older.prepare('insert into waiting values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  for (let n = 1; n <= 5; n += 1) {
    const { eventId, key, headers, body, schemaHash, contentHash } = submissionNo(n);
    remember.run(eventId, contentHash, JSON.stringify({ discardedFields: n, evidence: EVIDENCE }), NOON_MS);
    if (n <= 2) continue;
    const aside = n === 3 ? (['MESSAGE_TOO_LARGE', NOON_MS] as const) : ([null, null] as const);
    insert.run(n, eventId, key, JSON.stringify(headers), body, schemaHash, 700, NOON_MS, ...aside);
  }
  older.exec(
    `insert into totals values ('accepted', 5), ('relayed', 2), ('rows', 3), ('bytes', 2100), ('remembered', 5)`,
  );
  older.close();
};

let folder: Folder;
let boxes: Box[];
beforeEach(() => {
  folder = newFolder();
  boxes = [];
  fillOlder(folder.file);
});
afterEach(() => {
  for (const box of boxes) box.outbox.close();
  folder.remove();
});
const open = (): Box => {
  const box = openBox(folder.file);
  boxes.push(box);
  return box;
};
const STATUS = { accepted: 5, relayed: 2, waiting: 2, setAside: 1, bytes: 2_100 };
const formatOf = (): unknown => {
  const database = new DatabaseSync(folder.file, { readOnly: true });
  const version = database.prepare('pragma user_version').get()?.['user_version'];
  database.close();
  return version;
};

test('rows, counts and ids are there as before, and the older file is not set aside', () => {
  const box = open();
  expect(box.outbox.setAside).toBeUndefined();
  expect(box.status()).toMatchObject(STATUS);
  expect(box.ids()).toEqual([3, 4, 5].map(uuidNo));
  expect(rememberedIn(box)).toEqual([1, 2, 3, 4, 5].map(uuidNo));
  const [row] = box.rows.oldest(10, 0);
  const { key, headers, body, schemaHash } = submissionNo(4);
  expect(row).toEqual({ seq: 4, key, headers, body: new Uint8Array(body), schemaHash });
});

test('a call that the older program answered gets that answer, and a new one a number of its own', () => {
  const box = open();
  expect(box.append([submissionNo(1), submissionNo(4, { tipo: 'cancelamento_pelo_usuario' })])).toEqual([
    { kept: true, counts: { discardedFields: 1, evidence: EVIDENCE } },
    { kept: true, counts: { discardedFields: 4, evidence: EVIDENCE } },
  ]);
  expect(box.append([submissionNo(6, {}, 6)])).toEqual([{ kept: true, counts: countsOf(6) }]);
  expect(box.ids()).toEqual([3, 4, 5, 6].map(uuidNo));
  expect(box.status()).toMatchObject({ accepted: 6, repeatedSame: 1, repeatedOther: 1 });
});

test('a reader reads the older file as it is and leaves it so', () => {
  expect(readOutboxStatus(folder.file)).toMatchObject(STATUS);
  expect(formatOf()).toBe(1);
});

test('a change that fails half-way leaves the older file whole, and the next one ends it', () => {
  const older = new DatabaseSync(folder.file);
  older.exec('create table remembered_1 (in_the_way)');
  older.close();
  expect(() => open()).toThrow();
  expect(formatOf()).toBe(1);
  expect(readOutboxStatus(folder.file)).toMatchObject(STATUS);
  const again = new DatabaseSync(folder.file);
  again.exec('drop table remembered_1');
  again.close();
  expect(rememberedIn(open())).toHaveLength(5);
});

test('a program of format 1 that still has it open takes nothing more into it', () => {
  const older = new DatabaseSync(folder.file);
  const remember = older.prepare('insert into remembered (event_id, content_hash, counts, at) values (?, ?, ?, ?)');
  const recall = older.prepare('select content_hash, counts from remembered where event_id = ?');
  expect(recall.get(uuidNo(1))).toBeDefined();
  open();
  expect(() => remember.run(uuidNo(9), 'x', '{}', NOON_MS)).toThrow();
  older.close();
});
