/**
 * A flush in one round trip where that can be, else in two: the rows handed over, the position's row locked and the rows
 * inserted with the first, the position moved and the transaction committed with the second. Quarantine, graph and
 * repeats, when there are any, take their own between them.
 */
import pg from 'pg';
import { mergeChanges } from '../../graph/merge.ts';
import { consumedCount, type OutcomeCounts, type QuarantinePointer } from '../../outcome.ts';
import { whyNot } from '../fence.ts';
import { offsetIn, windowIn } from '../from-row.ts';
import { type FlushAnswer, type FlushRequest, type PartitionKey, type Window, WINDOW_MS } from '../store.ts';
import { flushAtOnce } from './flush-at-once.ts';
import { beginWithDeviations } from './write-deviations.ts';
import { writeGraph, writeQuarantine } from './write-rows.ts';

/** Statements that go together in one round trip take no parameters. */
const place = ({ consumer, topic, partition }: PartitionKey): string =>
  `consumer = '${consumer}' and topic = ${pg.escapeLiteral(topic)} and partition = ${partition}`;

/** The row stays locked until the transaction ends: whoever claims meanwhile waits, and then finds what was written. */
const lockStanding = (key: PartitionKey): string =>
  `select epoch, next_offset from stream_positions where ${place(key)} for update`;

const moveOn = async (client: pg.PoolClient, request: FlushRequest, counts: OutcomeCounts): Promise<Window> => {
  const isRecent = `window_from >= now() - interval '${WINDOW_MS} milliseconds'`;
  const witness = request.witness;
  const sql = `
    update stream_positions set next_offset = ${request.nextOffset}, stored = stored + ${counts.stored},
      duplicate = duplicate + ${counts.duplicate}, filtered = filtered + ${counts.filtered},
      quarantined = quarantined + ${counts.quarantined},
      ${witness === undefined ? '' : `witness_offset = ${witness.offset}, witness = ${pg.escapeLiteral(witness.hash)},`}
      window_from = case when ${isRecent} then window_from else now() end,
      window_consumed = case when ${isRecent} then window_consumed else 0 end + ${consumedCount(counts)},
      window_quarantined = case when ${isRecent} then window_quarantined else 0 end + ${counts.quarantined},
      updated_at = now()
    where ${place(request)}
    returning window_consumed, window_quarantined;
    commit`;
  // Two statements: pg answers with a list, its types with one result.
  const [moved] = (await client.query(sql)) as unknown as readonly pg.QueryResult[];
  return windowIn(moved?.rows[0]);
};

const flushInTwo = async (client: pg.PoolClient, request: FlushRequest): Promise<FlushAnswer> => {
  const { answer, write } = await beginWithDeviations(client, request, lockStanding(request), request.rows);
  const standing = answer && { epoch: Number(answer.epoch), position: offsetIn(answer.next_offset) };
  const refusal = whyNot(request, standing);
  if (refusal !== undefined) {
    await client.query('rollback');
    return refusal;
  }
  const written = await write();
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
  return { kind: 'flushed', counts, setAside: quarantine, window: await moveOn(client, request, counts) };
};

/** Begins and ends its own transaction on this connection. */
export const flush = async (client: pg.PoolClient, request: FlushRequest): Promise<FlushAnswer> =>
  (await flushAtOnce(client, request)) ?? (await flushInTwo(client, request));
