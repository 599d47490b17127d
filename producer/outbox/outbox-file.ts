/** The outbox's file: opening it safely, and setting a corrupt one aside whole. */
import { existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { transaction } from '../../wire/index.ts';
import { BUSY_TIMEOUT_MS, DEFAULT_LIMITS } from './limits.ts';
import { type Held, makeFile, tryExclusive, tryShared } from './lock-file.ts';
import { NewerFormat, problemOf } from './problem.ts';

/** Rises with every change of the tables that an older program could not read. */
const FORMAT = 2;

const TABLES = `
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
  -- Nothing for a row that goes its way; and what is set aside can be counted without reading the rest.
  create index if not exists waiting_aside on waiting (seq) where aside_code is not null;
  -- Found by known-ids.ts, in memory.
  create table if not exists remembered (
    age          integer primary key,
    event_id     blob not null,
    content_hash blob not null,
    counts       text not null,
    at           integer not null
  ) strict;
  create table if not exists totals (name text primary key, value integer not null) strict, without rowid;
  create table if not exists relay (one integer primary key check (one = 1), state text not null, code text, since integer not null) strict;
`;

/** Format 1 had ids and hashes as text, a unique index over the ids, and the counts with their names. */
const FROM_FORMAT_1 = `
  alter table remembered rename to remembered_1;
  ${TABLES}
  insert into remembered (age, event_id, content_hash, counts, at)
    select age, unhex(event_id, '-'), unhex(content_hash), json_array(
      counts ->> '$.discardedFields', counts ->> '$.evidence.kept', counts ->> '$.evidence.duplicates',
      counts ->> '$.evidence.malformed', counts ->> '$.evidence.unknown', counts ->> '$.evidence.overCeiling'), at
    from remembered_1 order by age;
  drop table remembered_1;
`;

export interface OutboxFile {
  readonly database: DatabaseSync;
  readonly file: string;
  /** Bytes of the write-ahead log now. */
  walBytes(): number;
  close(): void;
}

export interface OpenedFile extends OutboxFile {
  /** Where the corrupt file went that stood here before, if one did. */
  readonly setAside: string | undefined;
}

const PARTS = ['', '-wal', '-shm'] as const;

const usersFile = (file: string): string => `${file}-users`;

/** SQLite's own numbers, for what it would say if it were asked. */
const CORRUPT_ERRCODE = 11;
const BUSY_ERRCODE = 5;

export interface OpenOptions {
  /** SQLite has called this file corrupt before. */
  readonly isSuspect?: boolean;
  /** The outbox's bound: its log stays small beside it. */
  readonly maxBytes?: number;
  /** Unless false, a corrupt file is set aside and a new one begun. */
  readonly setsAside?: boolean;
}

/** Answers the file's format, 0 for a new one. Throws on one of a later program. */
export const requireFormat = (database: DatabaseSync): number => {
  const version = Number(database.prepare('pragma user_version').get()?.user_version);
  if (version > FORMAT) throw new NewerFormat();
  return version;
};

/**
 * The log is emptied into the file at this part of the bound, for it counts against it; at 8 MiB at most. A commit that
 * empties it, or begins it anew, takes milliseconds: at 4 MiB that was one report in a hundred.
 */
const LOG_PART = 1 / 8;
const MAX_LOG_BYTES = 8 * 1024 * 1024;
const PAGE_BYTES = 4_096;
/** Fewer would empty it with nearly every commit. */
const MIN_LOG_PAGES = 8;

const prepare = (
  database: DatabaseSync,
  { isSuspect = false, maxBytes = DEFAULT_LIMITS.maxBytes }: OpenOptions,
): void => {
  // Before anything is changed in it.
  const version = requireFormat(database);
  const pages = Math.max(MIN_LOG_PAGES, Math.floor(Math.min(MAX_LOG_BYTES, maxBytes * LOG_PART) / PAGE_BYTES));
  database.exec(
    `pragma journal_mode = wal; pragma synchronous = full; pragma wal_autocheckpoint = ${pages}; pragma journal_size_limit = ${pages * PAGE_BYTES}`,
  );
  // Reads every page, so only when a transaction has already stumbled.
  if (isSuspect) {
    const [check] = database.prepare('pragma integrity_check(1)').all();
    if (check?.integrity_check !== 'ok') throw Object.assign(new Error('corrupt'), { errcode: CORRUPT_ERRCODE });
  }
  // Opening writes nothing into a file that has its tables: a corrupt one keeps its bytes.
  if (version < FORMAT) makeTables(database);
};

/** Of a new file, or of an older one, whose rows and ids all come along. */
const makeTables = (database: DatabaseSync): void => {
  const from = transaction(database, () => {
    // Asked again: another process may have done it meanwhile.
    const version = requireFormat(database);
    if (version < FORMAT) {
      database.exec(version === 1 ? FROM_FORMAT_1 : TABLES);
      database.exec(`pragma user_version = ${FORMAT}`);
    }
    return version;
  });
  // The log, which counts against the bound, held a whole table.
  if (from === 1) database.exec('pragma wal_checkpoint(truncate)');
};

const openNow = (file: string, options: OpenOptions, user: Held): OutboxFile => {
  makeFile(file);
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    prepare(database, options);
  } catch (error) {
    database.close();
    throw error;
  }
  return {
    database,
    file,
    walBytes: () => statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0,
    close: () => {
      database.close();
      user.release();
    },
  };
};

/** The corrupt file's new name, or undefined while another process has it open. Its bytes are kept. */
const setAside = (file: string): string | undefined => {
  const alone = tryExclusive(usersFile(file));
  if (alone === undefined) return undefined;
  try {
    const aside = `${file}.corrupt-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
    for (const part of PARTS) if (existsSync(`${file}${part}`)) renameSync(`${file}${part}`, `${aside}${part}`);
    return aside;
  } finally {
    alone.release();
  }
};

/** Opens the file as one of its users; a corrupt one is set aside only when nobody else uses it. */
const join = (file: string, options: OpenOptions): OutboxFile => {
  const user = tryShared(usersFile(file));
  // Exclusive is held for the blink of a rename.
  if (user === undefined) throw Object.assign(new Error('users'), { errcode: BUSY_ERRCODE });
  try {
    return openNow(file, options, user);
  } catch (error) {
    user.release();
    throw error;
  }
};

/** Throws what `problemOf` names. */
export const openOutboxFile = (file: string, options: OpenOptions = {}): OpenedFile => {
  mkdirSync(dirname(file), { recursive: true });
  try {
    return { ...join(file, options), setAside: undefined };
  } catch (error) {
    if (problemOf(error) !== 'OUTBOX_CORRUPT' || options.setsAside === false) throw error;
    const aside = setAside(file);
    if (aside === undefined) throw error;
    return { ...join(file, { ...options, isSuspect: false }), setAside: aside };
  }
};
