/**
 * The flush of a trickle: a few rows, all of them new, nothing quarantined. One prepared statement is the whole
 * transaction: the server plans nothing, and nothing is locked while an answer is on its way. What it does not cover leaves
 * no trace and is flushed in the general way.
 */
import type pg from 'pg';
import { AGENT_DEVIATION } from '../../../schemas/index.ts';
import { windowIn } from '../from-row.ts';
import { type FlushAnswer, type FlushRequest, WINDOW_MS } from '../store.ts';
import { isRowRefused } from './connection.ts';
import { COLUMNS, givenBy, jsonForm } from './write-deviations.ts';

/** So many records at most: more of them are cheaper copied (measured). */
const FEW_RECORDS = 32;

const IS_RECENT = `window_from >= now() - interval '${WINDOW_MS} milliseconds'`;

/** $7 rows, $8 filtered. Where not each of the rows is a new one, the division by zero takes all of it back. */
const AT_ONCE = `
  with moved as (
    update stream_positions set next_offset = $6, stored = stored + $7::integer, filtered = filtered + $8::integer,
      witness_offset = coalesce($9, witness_offset), witness = coalesce($10, witness),
      window_from = case when ${IS_RECENT} then window_from else now() end,
      window_consumed = case when ${IS_RECENT} then window_consumed else 0 end + $7::integer + $8::integer,
      window_quarantined = case when ${IS_RECENT} then window_quarantined else 0 end,
      updated_at = now()
    where consumer = $1 and topic = $2 and partition = $3 and epoch = $4 and next_offset = $5
    returning window_consumed, window_quarantined
  ), fresh as (
    insert into session_events (${COLUMNS}, type, topic, partition, recorded_at)
    select ${COLUMNS}, '${AGENT_DEVIATION}', $2, $3, now() from ${givenBy('$11')}
    where exists (select from moved)
    order by id, log_offset
    on conflict (id) do nothing
    returning id
  )
  select window_consumed, window_quarantined, 1 / ((select count(*) from fresh) = $7::integer)::integer from moved`;

/** Undefined: nothing was written, whatever the reason. */
export const flushAtOnce = async (client: pg.PoolClient, request: FlushRequest): Promise<FlushAnswer | undefined> => {
  const { consumer, topic, partition, epoch, fromOffset, nextOffset, witness } = request;
  if (fromOffset === undefined || nextOffset <= fromOffset) return undefined;
  if (nextOffset - fromOffset > FEW_RECORDS) return undefined;
  // Before the others are asked for: they are judged along with the rows.
  const rows = [...request.rows];
  if (request.quarantine.length > 0 || request.projected > 0) return undefined;
  const values = [
    consumer,
    topic,
    partition,
    epoch,
    String(fromOffset),
    String(nextOffset),
    rows.length,
    request.filtered,
    witness === undefined ? null : String(witness.offset),
    witness?.hash ?? null,
    jsonForm(rows),
  ];
  try {
    const answer = await client.query({ name: 'flush-at-once', text: AT_ONCE, values });
    const [moved] = answer.rows;
    if (moved === undefined) return undefined;
    const counts = { stored: rows.length, duplicate: 0, filtered: request.filtered, quarantined: 0 };
    return { kind: 'flushed', counts, setAside: [], window: windowIn(moved) };
  } catch (error) {
    if (!isRowRefused(error)) throw error;
    return undefined;
  }
};
