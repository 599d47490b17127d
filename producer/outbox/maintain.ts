/** What an operator does with the outbox: look at its state, see the rows that were set aside, retry or discard them. */
import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { openForReading, StreamError, transaction } from '../../wire/index.ts';
import { openOutboxFile, requireFormat } from './outbox-file.ts';
import { PROBLEM_NEXT, problemOf } from './problem.ts';
import { type OutboxStatus, readStatus } from './status.ts';
import { createTotals } from './totals.ts';

export interface AsideRow {
  readonly eventId: string;
  readonly code: string;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly appendedAtMs: number;
  readonly asideAtMs: number;
  /** Bytes of the body, headers and key. */
  readonly bytes: number;
}

const requireFile = (file: string): void => {
  if (existsSync(file)) return;
  throw new StreamError('OUTBOX_MISSING', `there is no file ${file}`, 'Check OUTBOX_FILE: the producer makes it');
};

/** A failure of the file in our words. */
const explained = <T>(file: string, work: () => T): T => {
  requireFile(file);
  try {
    return work();
  } catch (error) {
    const problem = problemOf(error);
    throw new StreamError('OUTBOX_REFUSED', `${file} (${problem})`, PROBLEM_NEXT[problem]);
  }
};

/** Opens, reads, closes: a reader never holds the outbox's log. */
const reading = <T>(file: string, read: (database: DatabaseSync) => T): T =>
  explained(file, () => {
    const database = openForReading(file);
    try {
      requireFormat(database);
      return read(database);
    } finally {
      database.close();
    }
  });

export const readOutboxStatus = (file: string): OutboxStatus => reading(file, readStatus);

/** The rows that are set aside, the oldest first. Leaves no trace. */
export const listAside = (file: string): readonly AsideRow[] =>
  reading(file, (database) =>
    database
      .prepare('select * from waiting where aside_code is not null order by seq')
      .all()
      .map((row) => ({
        eventId: String(row.event_id),
        code: String(row.aside_code),
        appendedAtMs: Number(row.appended_at),
        asideAtMs: Number(row.aside_at),
        bytes: Number(row.bytes),
      })),
  );

const changeAside = (file: string, eventIds: readonly string[] | 'all', verb: 'retry' | 'discard'): number =>
  explained(file, () => {
    // A corrupt file is the producer's to set aside, who says so loudly.
    const outbox = openOutboxFile(file, { setsAside: false });
    const { database } = outbox;
    try {
      return transaction(database, () => {
        const chosen = database
          .prepare('select event_id, bytes from waiting where aside_code is not null')
          .all()
          .filter(({ event_id: id }) => eventIds === 'all' || eventIds.includes(String(id)));
        const change = database.prepare(
          verb === 'retry'
            ? 'update waiting set aside_code = null, aside_at = null where event_id = ?'
            : 'delete from waiting where event_id = ?',
        );
        for (const { event_id: id } of chosen) change.run(id ?? null);
        if (verb === 'discard') {
          const totals = createTotals(database);
          totals.add('rows', -chosen.length);
          totals.add('bytes', -chosen.reduce((sum, { bytes }) => sum + Number(bytes), 0));
          totals.add('discarded', chosen.length);
        }
        return chosen.length;
      });
    } finally {
      outbox.close();
    }
  });

/** Lets the relay send them again; answers how many. */
export const retryAside = (file: string, eventIds: readonly string[] | 'all'): number =>
  changeAside(file, eventIds, 'retry');

/** Gives them up for good; answers how many. Their ids stay remembered. */
export const discardAside = (file: string, eventIds: readonly string[] | 'all'): number =>
  changeAside(file, eventIds, 'discard');
