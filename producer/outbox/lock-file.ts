/**
 * Locks that the operating system keeps: a file of its own beside the outbox, locked through SQLite. A stopped owner
 * keeps its lock, a killed one frees it at once; no clock and no time-out is involved.
 */
import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { sqliteCodeOf } from '../../wire/index.ts';

export interface Held {
  release(): void;
}

/** Only for the user that runs the producer: the outbox holds ids of sessions. */
export const OWNER_ONLY = 0o600;

/**
 * Only when it is absent: a process that opens and closes a file again loses every lock it holds on it, those of its
 * other threads included.
 */
export const makeFile = (file: string): void => {
  try {
    closeSync(openSync(file, 'wx', OWNER_ONLY));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // node's own error
  }
};

const lock = (file: string, statements: string): Held | undefined => {
  makeFile(file);
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec(statements);
  } catch (error) {
    database.close();
    if (sqliteCodeOf(error) === 'BUSY') return undefined;
    throw error;
  }
  // Closing ends the transaction, and with it the lock.
  return { release: () => database.close() };
};

/** Undefined while anybody holds either kind. */
export const tryExclusive = (file: string): Held | undefined => lock(file, 'begin exclusive');

/** Undefined while somebody holds it exclusively. A read that is not ended keeps the lock. */
export const tryShared = (file: string): Held | undefined => lock(file, 'begin; select count(*) from sqlite_master');
