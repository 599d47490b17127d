/** A look into a SQLite file that leaves no trace: a reader never makes a file, and never holds the log of the writer. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

/** How long a reader waits for a lock unless it says otherwise, in milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;

/**
 * For one question: ask and close. Without a log beside it nobody has the file open, and SQLite would make the log's two
 * files just to read; `immutable` keeps it from that.
 */
export const openForReading = (file: string, timeoutMs: number = BUSY_TIMEOUT_MS): DatabaseSync => {
  const url = pathToFileURL(resolve(file));
  if (!existsSync(`${file}-wal`)) url.searchParams.set('immutable', '1');
  return new DatabaseSync(url, { readOnly: true, timeout: timeoutMs });
};
