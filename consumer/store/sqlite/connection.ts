/** Opening the file, and its errors in our words. */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isStreamError, openForReading, sqliteCodeOf, StreamError } from '../../../wire/index.ts';

/** How long a writer waits for the other consumer's transaction, in milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;
/**
 * Random ids touch random pages: kept at hand, and written back to the file only every 64 MiB of log, so that many
 * commits share the writing of a page (measured: docs/decisions/0010).
 */
const CACHE_KIB = 16_384;
const CHECKPOINT_PAGES = 16_384;

/** Whether the database refused the row as data, and not for anything around it. */
export const isRowRefused = (error: unknown): boolean => sqliteCodeOf(error) === 'CONSTRAINT';

export const sqliteError = (error: unknown, file: string): StreamError => {
  if (isStreamError(error)) return error;
  const code = sqliteCodeOf(error);
  switch (code) {
    case undefined:
      return new StreamError(
        'UNEXPECTED',
        `${file}, no answer of SQLite`,
        'Report it: this is a defect of this program',
      );
    case 'DISK_FULL':
      return new StreamError(
        'DATABASE_REFUSED',
        `${file} (disk full)`,
        'Make room on its disk; nothing is lost meanwhile',
      );
    case 'BUSY':
      return new StreamError('DATABASE_REFUSED', `${file} (locked)`, 'Find the process that holds a transaction open');
    default:
      return new StreamError('DATABASE_REFUSED', `${file} (${code})`, 'Check the file, its folder and its rights');
  }
};

const requireFile = (file: string): void => {
  if (existsSync(file)) return;
  throw new StreamError(
    'DATABASE_NOT_MIGRATED',
    `there is no file ${file}`,
    'Check DATABASE_URL and the folder you are in, or make it: deviations migrate',
  );
};

const opened = (file: string, open: () => DatabaseSync): DatabaseSync => {
  try {
    return open();
  } catch {
    throw new StreamError('DATABASE_UNREACHABLE', file, 'Check the file, its folder and its rights');
  }
};

/** For writing. `make`: the file and its folder are made when absent, else an absent file is an error. */
export const openSqlite = (file: string, { make }: { readonly make: boolean }): DatabaseSync => {
  if (make) mkdirSync(dirname(file), { recursive: true });
  else requireFile(file);
  return opened(file, () => {
    const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
    // FULL: in WAL mode a commit survives a power cut only with it.
    database.exec('pragma journal_mode = wal; pragma synchronous = full');
    database.exec(`pragma cache_size = -${CACHE_KIB}; pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    return database;
  });
};

/** For one question. */
export const openSqliteForReading = (file: string): DatabaseSync => {
  requireFile(file);
  return opened(file, () => openForReading(file));
};
