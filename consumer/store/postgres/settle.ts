/**
 * A second look at a quarantined record: what it stores and the entry's new state are one transaction. Written in the
 * order of a flush (rows, graph, quarantine), so that neither waits for the other in a circle.
 */
import type { PoolClient } from 'pg';
import { mergeChanges } from '../../graph/merge.ts';
import type { QuarantineKey, SecondLook, Settled } from '../quarantine-entry.ts';
import { writeDeviations } from './write-deviations.ts';
import { writeGraph } from './write-rows.ts';

const PLACE = 'consumer = $1 and topic = $2 and partition = $3 and log_offset = $4';
const RESOLVE = `update quarantine set state = 'resolved', resolved_at = now(), last_seen_at = now(), attempts = attempts + 1
  where ${PLACE} and state <> 'resolved'`;
const SAW_AGAIN = `update quarantine set last_seen_at = now(), attempts = attempts + 1 where ${PLACE}`;

const placeOf = ({ consumer, topic, partition, offset }: QuarantineKey): readonly unknown[] => [
  consumer,
  topic,
  partition,
  String(offset),
];

const apply = async (client: PoolClient, key: QuarantineKey, look: SecondLook): Promise<Settled> => {
  switch (look.kind) {
    case 'row': {
      const written = await writeDeviations(client, key, [look.row]);
      if (written.clashes.length > 0) return { kind: 'wrong', reason: 'HASH_CLASH' };
      if (written.refused.length > 0) return { kind: 'wrong', reason: 'ROW_REFUSED' };
      return { kind: written.stored === 1 ? 'stored' : 'duplicate' };
    }
    case 'graph':
      await writeGraph(client, mergeChanges(look.changes));
      return { kind: 'stored' };
    case 'filtered':
    case 'wrong':
      return look;
    default:
      return look satisfies never;
  }
};

export const settle = async (client: PoolClient, key: QuarantineKey, look: SecondLook): Promise<Settled> => {
  const place = [...placeOf(key)];
  const { rows } = await client.query(`select state from quarantine where ${PLACE}`, place);
  const [entry] = rows;
  if (entry === undefined) return { kind: 'no-entry' };
  if (entry.state === 'resolved') return { kind: 'resolved-before' };
  const settled = await apply(client, key, look);
  const { rowCount } = await client.query(settled.kind === 'wrong' ? SAW_AGAIN : RESOLVE, place);
  // Another retry of this very entry was faster; what it stored is a duplicate here.
  return rowCount === 0 ? { kind: 'resolved-before' } : settled;
};

export const discard = async (client: PoolClient, key: QuarantineKey): Promise<boolean> => {
  const { rowCount } = await client.query(
    `update quarantine set state = 'discarded', resolved_at = now() where ${PLACE} and state = 'open'`,
    [...placeOf(key)],
  );
  return rowCount === 1;
};
