/** Takes reports into the outbox: many in one transaction, each with the memory of its id. */
import { transaction } from '../../wire/index.ts';
import type { StorableSubmission } from '../submission.ts';
import { createKnownIds, type IdBytes, idBytes } from './known-ids.ts';
import { MEMORY, type OutboxLimits } from './limits.ts';
import type { OutboxFile } from './outbox-file.ts';
import { createTotals, type TotalName } from './totals.ts';

export type Appended =
  /** The counts of the first answer, by `countsText`. */
  { readonly kept: true; readonly counts: string } | { readonly kept: false; readonly code: 'OUTBOX_FULL' };

export interface Appender {
  /**
   * One answer per submission, in order, once all of them are durable. Throws when the transaction failed as a whole:
   * then none of them is in the file. `refusals` are counted along, or not at all.
   */
  append(submissions: readonly StorableSubmission[], refusals: ReadonlyMap<TotalName, number>): readonly Appended[];
}

/** How many of the oldest ids one transaction looks at, beside as many as it adds, so that none takes long. */
const FORGET_AT_ONCE = 200;

/** What SQLite needs for a row beside its content, roughly: its indexes and the memory of its id. */
const ROW_OVERHEAD_BYTES = 256;

/** What the file remembers of an id, and what one transaction is about to. */
interface Remembered {
  readonly contentHash: Uint8Array;
  readonly counts: string;
}

interface Fresh extends Remembered {
  readonly id: IdBytes;
  readonly age: number;
}

/** How often the memory is looked through, in milliseconds. */
const FORGET_EVERY_MS = 1_000;

export const createAppender = (
  outbox: OutboxFile,
  limits: OutboxLimits,
  nowMs: () => number,
  memory: { readonly forMs: number; readonly maxIds: number } = MEMORY,
): Appender => {
  const { database } = outbox;
  const totals = createTotals(database);
  const known = createKnownIds(database);
  const recall = database.prepare('select event_id, content_hash, counts from remembered where age = ?');
  const remember = database.prepare(
    'insert into remembered (age, event_id, content_hash, counts, at) values (?, ?, ?, ?, ?)',
  );
  // A row and the memory of its id share one number.
  const insert = database.prepare(
    'insert into waiting (seq, event_id, key, headers, body, schema_hash, bytes, appended_at) values (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  // An id whose row still waits is never forgotten, however old it is and however many there are.
  const forgetOld = database.prepare(`
    delete from remembered where age in (
      select age from (select age, at from remembered order by age limit ?) oldest
      where at < ? and not exists (select 1 from waiting where seq = oldest.age))`);
  const forgetOldest = database.prepare(`
    delete from remembered where age in (
      select age from remembered r where not exists (select 1 from waiting where seq = r.age) order by age limit ?)`);

  /** Every age that was ever given is a count of `accepted`, so that none is given twice, whatever was forgotten. */
  const catchUp = (now: ReadonlyMap<string, number>): number => {
    const lastAge = now.get('accepted') ?? 0;
    known.catchUp(lastAge, now.get('remembered') ?? 0);
    return lastAge;
  };
  // Before the first report comes: a million ids take half a second.
  catchUp(totals.read());

  let lookedAt = Number.NEGATIVE_INFINITY;
  let addedSinceLook = 0;

  /** Answers how many ids were forgotten: past their time, or past the number that is kept. */
  const forgetSome = (remembered: number, added: number, now: number): number => {
    addedSinceLook += added;
    // Looking costs more than a row does, and a memory of days does not mind a second.
    const isDue = Math.abs(now - lookedAt) >= FORGET_EVERY_MS;
    const old = isDue ? Number(forgetOld.run(FORGET_AT_ONCE + addedSinceLook, now - memory.forMs).changes) : 0;
    if (isDue) {
      lookedAt = now;
      addedSinceLook = 0;
    }
    const tooMany = remembered - old - memory.maxIds;
    return tooMany <= 0 ? old : old + Number(forgetOldest.run(tooMany).changes);
  };

  const recallOf = (id: IdBytes): Remembered | undefined =>
    known.find(id, (age) => {
      const row = recall.get(age);
      return row !== undefined && id.equals(row.event_id as Uint8Array) // blob columns of a strict table
        ? { contentHash: row.content_hash as Uint8Array, counts: String(row.counts) }
        : undefined;
    });

  /** What it adds to the memory is in `fresh`, by the text of the id. */
  const appendAll = (
    submissions: readonly StorableSubmission[],
    refusals: ReadonlyMap<TotalName, number>,
    fresh: Map<string, Fresh>,
  ): Appended[] => {
    const before = totals.read();
    const now = nowMs();
    const room = {
      rows: limits.maxRows - (before.get('rows') ?? 0),
      bytes: limits.maxBytes - (before.get('bytes') ?? 0) - outbox.walBytes(),
    };
    const added = { accepted: 0, bytes: 0, same: 0, other: 0, full: 0 };
    const lastAge = catchUp(before);

    const appendOne = (submission: StorableSubmission): Appended => {
      const { eventId, schemaHash, key, headers, body, counts } = submission;
      const id = idBytes(eventId);
      const contentHash = Buffer.from(submission.contentHash, 'hex');
      const first = fresh.get(eventId) ?? recallOf(id);
      if (first !== undefined) {
        if (contentHash.equals(first.contentHash)) added.same += 1;
        else added.other += 1;
        return { kept: true, counts: first.counts };
      }
      const bytes = body.length + headers.length + key.length + ROW_OVERHEAD_BYTES;
      if (added.accepted + 1 > room.rows || added.bytes + bytes > room.bytes) {
        added.full += 1;
        return { kept: false, code: 'OUTBOX_FULL' };
      }
      added.accepted += 1;
      added.bytes += bytes;
      const age = lastAge + added.accepted;
      remember.run(age, id, contentHash, counts, now);
      insert.run(age, eventId, key, headers, body, schemaHash, bytes, now);
      fresh.set(eventId, { id, age, contentHash, counts });
      return { kept: true, counts };
    };

    const answers = submissions.map(appendOne);
    const forgotten = forgetSome((before.get('remembered') ?? 0) + added.accepted, added.accepted, now);
    totals.add('accepted', added.accepted);
    totals.add('rows', added.accepted);
    totals.add('bytes', added.bytes);
    totals.add('repeatedSame', added.same);
    totals.add('repeatedOther', added.other);
    totals.add('remembered', added.accepted - forgotten);
    totals.add('refused.OUTBOX_FULL', added.full);
    for (const [name, count] of refusals) totals.add(name, count);
    return answers;
  };

  return {
    append: (submissions, refusals) => {
      const fresh = new Map<string, Fresh>();
      const answers = transaction(database, () => appendAll(submissions, refusals, fresh));
      for (const { id, age } of fresh.values()) known.add(id, age);
      return answers;
    },
  };
};
