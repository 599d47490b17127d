/** A look at the file itself. */
import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { StoreInspector } from '../store.ts';
import { openSqliteForReading, sqliteError } from './connection.ts';
import { versionsOf } from './migrate.ts';
import { requireReliedOn } from './relied-on.ts';

/** The folder too: the log of the writer stands beside the file. */
const mayWrite = (file: string): boolean => {
  try {
    accessSync(file, constants.W_OK);
    accessSync(dirname(file), constants.W_OK);
    return true;
  } catch {
    return false;
  }
};

export const openSqliteInspector = (file: string): StoreInspector => {
  const look = <T>(question: (database: DatabaseSync) => T): Promise<T> =>
    new Promise((resolve, reject) => {
      let database: DatabaseSync | undefined;
      try {
        database = openSqliteForReading(file);
        resolve(question(database));
      } catch (error) {
        reject(sqliteError(error, file));
      } finally {
        database?.close();
      }
    });

  return {
    place: file,
    versions: () => look(versionsOf),
    requireKeys: () => look(requireReliedOn),
    isWritable: () => Promise.resolve(mayWrite(file)),
    clockAheadMs: () => Promise.resolve(undefined),
    close: () => Promise.resolve(),
  };
};
