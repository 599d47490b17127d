/** The store on PostgreSQL: one transaction a flush, the position's row locked first, two flushes at once at most. */
import { atMost, within } from '../../../wire/index.ts';
import { claimIn } from '../from-row.ts';
import type { Claim, Store } from '../store.ts';
import { inTransaction, onConnection, openPool, type PostgresSettings, postgresError } from './connection.ts';
import { flush } from './flush.ts';
import { requireMigrated } from './migrate.ts';
import { requireReliedOn } from './relied-on.ts';
import { discard, settle } from './settle.ts';
import { MAKE_INCOMING } from './write-deviations.ts';

/** Two partitions may be in flight; more only wait for the same two cores (measured). */
const CONNECTIONS = 2;
/** How long closing waits for the connections, in milliseconds. */
const CLOSE_LIMIT_MS = 2_000;

export const openPostgresStore = async (settings: PostgresSettings): Promise<Store> => {
  const pool = openPool(settings, CONNECTIONS, MAKE_INCOMING);
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
    isHeld: ({ consumer, topic, partition }, epoch) =>
      answering(async () => {
        const { rows } = await pool.query(
          'select 1 from stream_positions where consumer = $1 and topic = $2 and partition = $3 and epoch = $4',
          [consumer, topic, partition, epoch],
        );
        return rows.length > 0;
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
    flush: (request) => answering(() => onConnection(pool, (client) => flush(client, request))),
    settle: (key, look) => answering(() => inTransaction(pool, (client) => settle(client, key, look))),
    discard: (key) => answering(() => inTransaction(pool, (client) => discard(client, key))),
    // A connection on which a frozen server owes an answer would keep it waiting for ever.
    close: () => within(CLOSE_LIMIT_MS, pool.end(), () => {}),
  };
};
