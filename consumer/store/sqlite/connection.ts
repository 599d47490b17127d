/** Opening the file, and its errors in our words. */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StreamError } from '../../../wire/index.ts';

/** How long a writer waits for the other consumer's transaction, in milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;

/** The result codes of SQLite that say what an operator can do; by number, since the texts quote values. */
const FULL = 13;
const BUSY = 5;
const CONSTRAINT = 19;

const resultCode = (error: unknown): number => {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'errcode') : undefined;
  return typeof code === 'number' ? code & 0xff : 0;
};

/** Whether the database refused the row as data, and not for anything around it. */
export const isRowRefused = (error: unknown): boolean => resultCode(error) === CONSTRAINT;

export const sqliteError = (error: unknown, file: string): StreamError => {
  const code = resultCode(error);
  switch (code) {
    case 0:
      return new StreamError(
        'UNEXPECTED',
        `${file}, no answer of SQLite`,
        'Report it: this is a defect of this program',
      );
    case FULL:
      return new StreamError(
        'DATABASE_REFUSED',
        `${file} (disk full)`,
        'Make room on its disk; nothing is lost meanwhile',
      );
    case BUSY:
      return new StreamError('DATABASE_REFUSED', `${file} (locked)`, 'Find the process that holds a transaction open');
    default:
      return new StreamError(
        'DATABASE_REFUSED',
        `${file} (SQLite result ${code})`,
        'Check the file, its folder and its rights',
      );
  }
};

export interface OpenMode {
  /** `make`: the file and its folder are made when absent. `write`, `read`: an absent file is an error. */
  readonly mode: 'make' | 'write' | 'read';
}

export const openSqlite = (file: string, { mode }: OpenMode): DatabaseSync => {
  if (mode === 'make') mkdirSync(dirname(file), { recursive: true });
  else if (!existsSync(file)) {
    throw new StreamError('DATABASE_NOT_MIGRATED', `there is no file ${file}`, 'Make it: deviations migrate');
  }
  try {
    const database = new DatabaseSync(file, { readOnly: mode === 'read', timeout: BUSY_TIMEOUT_MS });
    if (mode !== 'read') {
      // FULL: in WAL mode a commit survives a power cut only with it.
      database.exec('pragma journal_mode = wal; pragma synchronous = full');
    }
    return database;
  } catch {
    throw new StreamError('DATABASE_UNREACHABLE', file, 'Check the file, its folder and its rights');
  }
};
