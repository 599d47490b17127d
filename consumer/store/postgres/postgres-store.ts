/** The store on PostgreSQL: one transaction a flush, the position's row locked first, two flushes at once at most. */
import type { PoolClient } from 'pg';
import { atMost, within } from '../../../wire/index.ts';
import { mergeChanges } from '../../graph/merge.ts';
import { consumedCount, type OutcomeCounts, type QuarantinePointer } from '../../outcome.ts';
import { whyNot } from '../fence.ts';
import { claimIn, offsetIn, windowIn } from '../from-row.ts';
import {
  type Claim,
  type FlushAnswer,
  type FlushRequest,
  type PartitionKey,
  type Store,
  type Window,
  WINDOW_MS,
} from '../store.ts';
import { inTransaction, openPool, type PostgresSettings, postgresError } from './connection.ts';
import { requireMigrated } from './migrate.ts';
import { requireReliedOn } from './relied-on.ts';
import { discard, settle } from './settle.ts';
import { writeDeviations, writeGraph, writeQuarantine } from './write-rows.ts';

/** Two partitions may be in flight; more only wait for the same two cores (measured). */
const CONNECTIONS = 2;
/** How long closing waits for the connections, in milliseconds. */
const CLOSE_LIMIT_MS = 2_000;

/** The row stays locked until the transaction ends: whoever claims meanwhile waits, and then finds what was written. */
const lockStanding = async (client: PoolClient, { consumer, topic, partition }: PartitionKey) => {
  const { rows } = await client.query(
    'select epoch, next_offset from stream_positions where consumer = $1 and topic = $2 and partition = $3 for update',
    [consumer, topic, partition],
  );
  const [row] = rows;
  return row === undefined ? undefined : { epoch: Number(row.epoch), position: offsetIn(row.next_offset) };
};

const moveOn = async (client: PoolClient, request: FlushRequest, counts: OutcomeCounts): Promise<Window> => {
  const { rows } = await client.query(
    `update stream_positions set next_offset = $4, stored = stored + $5, duplicate = duplicate + $6,
       filtered = filtered + $7, quarantined = quarantined + $8, witness_offset = coalesce($9, witness_offset),
       witness = coalesce($10, witness), updated_at = now(),
       window_from = case when window_from >= now() - $11::interval then window_from else now() end,
       window_consumed = case when window_from >= now() - $11::interval then window_consumed else 0 end + $12,
       window_quarantined = case when window_from >= now() - $11::interval then window_quarantined else 0 end + $8
     where consumer = $1 and topic = $2 and partition = $3
     returning window_consumed, window_quarantined`,
    [
      request.consumer,
      request.topic,
      request.partition,
      String(request.nextOffset),
      counts.stored,
      counts.duplicate,
      counts.filtered,
      counts.quarantined,
      request.witness === undefined ? null : String(request.witness.offset),
      request.witness?.hash ?? null,
      `${WINDOW_MS} milliseconds`,
      consumedCount(counts),
    ],
  );
  return windowIn(rows[0]);
};

const flush = async (client: PoolClient, request: FlushRequest): Promise<FlushAnswer> => {
  const refusal = whyNot(request, await lockStanding(client, request));
  if (refusal !== undefined) return refusal;
  const written = await writeDeviations(client, request, request.rows);
  await writeGraph(client, mergeChanges(request.changes));
  const quarantine: readonly QuarantinePointer[] = [
    ...request.quarantine,
    ...written.clashes.map((row) => ({ ...row, reason: 'HASH_CLASH' as const })),
    ...written.refused.map((row) => ({ ...row, reason: 'ROW_REFUSED' as const })),
  ];
  await writeQuarantine(client, request, quarantine);
  const counts: OutcomeCounts = {
    stored: written.stored + request.projected,
    duplicate: written.duplicate,
    filtered: request.filtered,
    quarantined: quarantine.length,
  };
  return { kind: 'flushed', counts, window: await moveOn(client, request, counts) };
};

export const openPostgresStore = async (settings: PostgresSettings): Promise<Store> => {
  const pool = openPool(settings, CONNECTIONS);
  // The pool's own line has the limit of a connection attempt: a third partition behind two slow flushes would look away.
  const inTurn = atMost(CONNECTIONS);
  const answering = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await inTurn(work);
    } catch (error) {
      throw postgresError(error, settings);
    }
  };
  try {
    await answering(() => requireMigrated(pool));
    await answering(() => requireReliedOn(pool));
  } catch (error) {
    await pool.end();
    throw error;
  }

  return {
    claim: ({ consumer, topic, partition }, options) =>
      answering(async (): Promise<Claim> => {
        const { rows } = await pool.query(
          `insert into stream_positions (consumer, topic, partition, next_offset, epoch, updated_at)
           values ($1, $2, $3, null, 1, now())
           on conflict (consumer, topic, partition) do update set epoch = stream_positions.epoch + 1, updated_at = now(),
             window_from = case when $4 then null else stream_positions.window_from end,
             window_consumed = case when $4 then 0 else stream_positions.window_consumed end,
             window_quarantined = case when $4 then 0 else stream_positions.window_quarantined end
           returning epoch, next_offset, witness_offset, witness, window_consumed, window_quarantined`,
          [consumer, topic, partition, options?.forgive === true],
        );
        return claimIn(rows[0]);
      }),
    adopt: ({ consumer, topic, partition }, { from, to, why }) =>
      answering(() =>
        inTransaction(pool, async (client) => {
          await client.query(
            `insert into position_losses (consumer, topic, partition, from_offset, to_offset, why, adopted_at)
             values ($1, $2, $3, $4, $5, $6, now())`,
            [consumer, topic, partition, String(from ?? 0n), String(to), why],
          );
          // Whoever reads under the older epoch finds itself fenced; the witness belongs to the log that was lost.
          await client.query(
            `insert into stream_positions (consumer, topic, partition, next_offset, epoch, updated_at)
             values ($1, $2, $3, $4, 1, now())
             on conflict (consumer, topic, partition) do update set next_offset = excluded.next_offset,
               epoch = stream_positions.epoch + 1, witness_offset = null, witness = null, window_from = null,
               window_consumed = 0, window_quarantined = 0, updated_at = now()`,
            [consumer, topic, partition, String(to)],
          );
        }),
      ),
    flush: (request) => answering(() => inTransaction(pool, (client) => flush(client, request))),
    settle: (key, look) => answering(() => inTransaction(pool, (client) => settle(client, key, look))),
    discard: (key) => answering(() => inTransaction(pool, (client) => discard(client, key))),
    // A connection on which a frozen server owes an answer would keep it waiting for ever.
    close: () => within(CLOSE_LIMIT_MS, pool.end(), () => {}),
  };
};
