/** The store on one SQLite file: one transaction a flush, and the epoch checked under its write lock. */
import { kafka, transaction } from '../../../wire/index.ts';
import { addCounts, NO_OUTCOMES, type OutcomeCounts } from '../../outcome.ts';
import type { Claim, FlushAnswer, FlushRequest, PartitionKey, Store } from '../store.ts';
import { isRowRefused, openSqlite, sqliteError } from './connection.ts';
import { requireMigrated } from './migrate.ts';
import { createRowWriter, type RowWriter } from './write-rows.ts';

/** Each row on its own: what the database refuses as data is quarantined, its neighbours are kept. */
const writeRows = (write: RowWriter, request: FlushRequest, now: string): OutcomeCounts => {
  let counts: OutcomeCounts = { ...NO_OUTCOMES, filtered: request.filtered, stored: request.projected };
  const add = (outcome: keyof OutcomeCounts): void => {
    counts = addCounts(counts, { ...NO_OUTCOMES, [outcome]: 1 });
  };
  for (const row of request.rows) {
    const { offset, schemaId, size, recordTimeMs } = row;
    const aside = (reason: 'HASH_CLASH' | 'ROW_REFUSED'): void => {
      write.quarantine(request, { offset, reason, schemaId, size, recordTimeMs }, now);
      add('quarantined');
    };
    try {
      const outcome = write.deviation(request, row, now);
      if (outcome === 'clash') aside('HASH_CLASH');
      else add(outcome);
    } catch (error) {
      if (!isRowRefused(error)) throw error;
      aside('ROW_REFUSED');
    }
  }
  for (const change of request.changes) write.graph(change);
  for (const pointer of request.quarantine) {
    write.quarantine(request, pointer, now);
    add('quarantined');
  }
  return counts;
};

export const openSqliteStore = (file: string): Store => {
  const database = openSqlite(file, { make: false });
  try {
    requireMigrated(database, file);
  } catch (error) {
    database.close();
    throw error;
  }
  const write = createRowWriter(database);
  const claim = database.prepare(`
    insert into stream_positions (consumer, topic, partition, next_offset, epoch, updated_at) values (?, ?, ?, null, 1, ?)
    on conflict (consumer, topic, partition) do update set epoch = epoch + 1, updated_at = excluded.updated_at
    returning epoch, next_offset`);
  claim.setReadBigInts(true);
  // `max`: the stored position never goes back.
  const moveOn = database.prepare(`
    update stream_positions set next_offset = max(coalesce(next_offset, 0), ?5), stored = stored + ?6,
      duplicate = duplicate + ?7, filtered = filtered + ?8, quarantined = quarantined + ?9,
      witness_offset = coalesce(?10, witness_offset), witness = coalesce(?11, witness), updated_at = ?12
    where consumer = ?1 and topic = ?2 and partition = ?3 and epoch = ?4`);

  const flush = (request: FlushRequest): FlushAnswer => {
    const now = new Date().toISOString();
    const lost = Symbol('epoch lost');
    try {
      return transaction(database, () => {
        const counts = writeRows(write, request, now);
        const { changes } = moveOn.run(
          request.consumer,
          request.topic,
          request.partition,
          request.epoch,
          request.nextOffset,
          counts.stored,
          counts.duplicate,
          counts.filtered,
          counts.quarantined,
          request.witness?.offset ?? null,
          request.witness?.hash ?? null,
          now,
        );
        // Throwing takes the rows back with it.
        if (changes !== 1) throw lost;
        return { kind: 'flushed', counts };
      });
    } catch (error) {
      if (error === lost) return { kind: 'epoch-lost' };
      throw error;
    }
  };

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
    claim: ({ consumer, topic, partition }: PartitionKey) =>
      answering((): Claim => {
        const row = claim.get(consumer, topic, partition, new Date().toISOString());
        const position = row?.next_offset;
        return {
          epoch: Number(row?.epoch),
          position: typeof position === 'bigint' ? kafka.offset(position) : undefined,
        };
      }),
    flush: (request) => answering(() => flush(request)),
    close: () =>
      answering(() => {
        database.close();
      }),
  };
};
