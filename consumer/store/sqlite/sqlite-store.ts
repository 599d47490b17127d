/** The store on one SQLite file: a flush is within one transaction, and the epoch checked under its write lock. */
import { transaction } from '../../../wire/index.ts';
import type { OutcomeCounts, QuarantinePointer } from '../../outcome.ts';
import { mergeChanges } from '../../graph/merge.ts';
import { whyNot } from '../fence.ts';
import { claimIn, offsetIn, windowIn } from '../from-row.ts';
import { type Claim, type FlushRequest, type PartitionKey, type Store, WINDOW_MS } from '../store.ts';
import { isRowRefused, openSqlite, sqliteError } from './connection.ts';
import { flushTogether } from './flush-together.ts';
import { requireMigrated } from './migrate.ts';
import { requireReliedOn } from './relied-on.ts';
import { createSettler } from './settle.ts';
import { createRowWriter, type RowWriter } from './write-rows.ts';

/** Each row on its own: what the database refuses as data is quarantined, its neighbours are kept. */
const writeRows = (
  write: RowWriter,
  request: FlushRequest,
  now: string,
): { readonly counts: OutcomeCounts; readonly setAside: readonly QuarantinePointer[] } => {
  const setAside: QuarantinePointer[] = [];
  const written = { stored: 0, duplicate: 0 };
  for (const row of request.rows) {
    const { offset, schemaId, size, recordTimeMs } = row;
    const aside = (reason: 'HASH_CLASH' | 'ROW_REFUSED'): void => {
      setAside.push({ offset, reason, schemaId, size, recordTimeMs });
    };
    try {
      const outcome = write.deviation(request, row, now);
      if (outcome === 'clash') aside('HASH_CLASH');
      else written[outcome] += 1;
    } catch (error) {
      if (!isRowRefused(error)) throw error;
      aside('ROW_REFUSED');
    }
  }
  write.graph(mergeChanges(request.changes));
  setAside.push(...request.quarantine);
  for (const pointer of setAside) write.quarantine(request, pointer, now);
  // Asked for before the rows, the others would have all rows judged at once, and kept.
  const counts: OutcomeCounts = {
    stored: written.stored + request.projected,
    duplicate: written.duplicate,
    filtered: request.filtered,
    quarantined: setAside.length,
  };
  return { counts, setAside };
};

export const openSqliteStore = (file: string): Store => {
  const database = openSqlite(file, { make: false });
  try {
    requireMigrated(database, file);
    requireReliedOn(database);
  } catch (error) {
    database.close();
    throw error;
  }
  const write = createRowWriter(database);
  const settler = createSettler(database, write);
  const claim = database.prepare(`
    insert into stream_positions (consumer, topic, partition, next_offset, epoch, updated_at) values (?1, ?2, ?3, null, 1, ?4)
    on conflict (consumer, topic, partition) do update set epoch = epoch + 1, updated_at = excluded.updated_at,
      window_from = case when ?5 then null else window_from end,
      window_consumed = case when ?5 then 0 else window_consumed end,
      window_quarantined = case when ?5 then 0 else window_quarantined end
    returning epoch, next_offset, witness_offset, witness, window_consumed, window_quarantined`);
  claim.setReadBigInts(true);
  const standing = database.prepare(
    'select epoch, next_offset from stream_positions where consumer = ? and topic = ? and partition = ?',
  );
  standing.setReadBigInts(true);
  const moveOn = database.prepare(`
    update stream_positions set next_offset = ?4, stored = stored + ?5, duplicate = duplicate + ?6,
      filtered = filtered + ?7, quarantined = quarantined + ?8, witness_offset = coalesce(?9, witness_offset),
      witness = coalesce(?10, witness), updated_at = ?11,
      window_from = case when window_from >= ?12 then window_from else ?11 end,
      window_consumed = case when window_from >= ?12 then window_consumed else 0 end + ?5 + ?6 + ?7 + ?8,
      window_quarantined = case when window_from >= ?12 then window_quarantined else 0 end + ?8
    where consumer = ?1 and topic = ?2 and partition = ?3
    returning window_consumed, window_quarantined`);

  const flushes = flushTogether(database, (request) => {
    const { consumer, topic, partition } = request;
    const row = standing.get(consumer, topic, partition);
    const refusal = whyNot(request, row && { epoch: Number(row.epoch), position: offsetIn(row.next_offset) });
    if (refusal !== undefined) return refusal;
    const nowMs = Date.now();
    const now = new Date(nowMs).toISOString();
    const { counts, setAside } = writeRows(write, request, now);
    const moved = moveOn.get(
      consumer,
      topic,
      partition,
      request.nextOffset,
      counts.stored,
      counts.duplicate,
      counts.filtered,
      counts.quarantined,
      request.witness?.offset ?? null,
      request.witness?.hash ?? null,
      now,
      new Date(nowMs - WINDOW_MS).toISOString(),
    );
    return { kind: 'flushed', counts, setAside, window: windowIn(moved) };
  });

  const recordLoss = database.prepare(`
    insert into position_losses (consumer, topic, partition, from_offset, to_offset, why, adopted_at)
    values (?, ?, ?, ?, ?, ?, ?)`);
  // Whoever reads under the older epoch finds itself fenced; the witness belongs to the log that was lost.
  const adopt = database.prepare(`
    insert into stream_positions (consumer, topic, partition, next_offset, epoch, updated_at) values (?1, ?2, ?3, ?4, 1, ?5)
    on conflict (consumer, topic, partition) do update set next_offset = excluded.next_offset, epoch = epoch + 1,
      witness_offset = null, witness = null, window_from = null, window_consumed = 0, window_quarantined = 0,
      updated_at = excluded.updated_at`);

  /** SQLite answers at once; the port is asynchronous for the other adapter. */
  const answering = <T>(work: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      try {
        resolve(work());
      } catch (error) {
        reject(sqliteError(error, file));
      }
    });

  return {
    claim: ({ consumer, topic, partition }: PartitionKey, options) =>
      answering((): Claim => {
        return claimIn(
          claim.get(consumer, topic, partition, new Date().toISOString(), options?.forgive === true ? 1 : 0),
        );
      }),
    isHeld: ({ consumer, topic, partition }, epoch) =>
      answering(() => standing.get(consumer, topic, partition)?.epoch === BigInt(epoch)),
    adopt: ({ consumer, topic, partition }, { from, to, why }) =>
      answering(() =>
        transaction(database, () => {
          const now = new Date().toISOString();
          recordLoss.run(consumer, topic, partition, from ?? 0n, to, why, now);
          adopt.run(consumer, topic, partition, to, now);
        }),
      ),
    flush: async (request) => {
      try {
        return await flushes.flush(request);
      } catch (error) {
        throw sqliteError(error, file);
      }
    },
    settle: (key, look) => answering(() => settler.settle(key, look)),
    discard: (key) => answering(() => settler.discard(key)),
    close: () =>
      answering(() => {
        flushes.end();
        database.close();
      }),
  };
};
