/**
 * What the engine's own thread reads of the file when the outbox's thread cannot be asked any more: a few pages, most of
 * them in the system's memory. A thread just for this takes longer to start than the limits it would serve.
 */
import type { DatabaseSync } from 'node:sqlite';
import { openForReading } from '../../wire/index.ts';
import { type AnswerCounts, countsIn } from '../submission.ts';
import { requireFormat } from './outbox-file.ts';
import { type OutboxStatus, readStatus } from './status.ts';

/** A reader meets a lock only while the file is made or mended: it waits for that, but not as long as a report would. */
const WAIT_MS = 250;

/** Undefined when the file does not say it now. */
const look = <T>(file: string, read: (database: DatabaseSync) => T): T | undefined => {
  try {
    const database = openForReading(file, WAIT_MS);
    try {
      requireFormat(database);
      return read(database);
    } finally {
      database.close();
    }
  } catch {
    return undefined;
  }
};

export const lookAtStatus = (file: string): OutboxStatus | undefined => look(file, readStatus);

/**
 * Which of these events the outbox has taken, with the counts of their first answers. Looks at every id that is remembered:
 * a tenth of a second for a million.
 */
export const lookForTaken = (file: string, eventIds: readonly string[]): ReadonlyMap<string, AnswerCounts> =>
  look(file, (database) => {
    const asked = new Map(eventIds.map((eventId): [string, string] => [eventId.replaceAll('-', ''), eventId]));
    const taken = database.prepare(
      'select lower(hex(event_id)) as id, counts from remembered where event_id in (select unhex(value) from json_each(?))',
    );
    return new Map(
      taken
        .all(JSON.stringify([...asked.keys()]))
        .map((row): [string, AnswerCounts] => [asked.get(String(row.id)) ?? '', countsIn(String(row.counts))]),
    );
  }) ?? new Map();
