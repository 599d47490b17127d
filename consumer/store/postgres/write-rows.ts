/** Quarantine and graph, inside the transaction of whoever writes them. Set-based: a statement a kind, not a row. */
import type { PoolClient } from 'pg';
import type { MergedGraph } from '../../graph/merge.ts';
import type { QuarantinePointer } from '../../outcome.ts';
import { QUARANTINED_AGAIN, shownRecordTime } from '../quarantine-entry.ts';
import type { PartitionKey } from '../store.ts';

export const writeQuarantine = async (
  client: PoolClient,
  key: PartitionKey,
  pointers: readonly QuarantinePointer[],
): Promise<void> => {
  if (pointers.length === 0) return;
  await client.query(
    `insert into quarantine (consumer, topic, partition, log_offset, reason, schema_id, size, record_time,
       first_seen_at, last_seen_at, attempts, state)
     select $1, $2, $3, o, r, s, z, t, now(), now(), 1, 'open'
     from unnest($4::bigint[], $5::text[], $6::integer[], $7::integer[], $8::timestamptz[]) as u (o, r, s, z, t)
     ${QUARANTINED_AGAIN}`,
    [
      key.consumer,
      key.topic,
      key.partition,
      pointers.map(({ offset }) => String(offset)),
      pointers.map(({ reason }) => reason),
      pointers.map(({ schemaId }) => schemaId ?? null),
      pointers.map(({ size }) => size),
      pointers.map(({ recordTimeMs }) => shownRecordTime(recordTimeMs)),
    ],
  );
};

const isoTime = (ms: number): string => new Date(ms).toISOString();

/** Holds to the rule of `graph/merge.ts` against what stands there already. */
export const writeGraph = async (client: PoolClient, { nodes, edges }: MergedGraph): Promise<void> => {
  if (nodes.length > 0) {
    await client.query(
      `insert into graph_nodes (kind, id, event_id, occurred_at)
       select * from unnest($1::text[], $2::uuid[], $3::uuid[], $4::timestamptz[])
       on conflict (kind, id) do update set event_id = excluded.event_id, occurred_at = excluded.occurred_at
         where (excluded.occurred_at, excluded.event_id) < (graph_nodes.occurred_at, graph_nodes.event_id)`,
      [
        nodes.map(({ kind }) => kind),
        nodes.map(({ id }) => id),
        nodes.map(({ madeBy }) => madeBy.eventId),
        nodes.map(({ madeBy }) => isoTime(madeBy.occurredAtMs)),
      ],
    );
  }
  if (edges.length > 0) {
    const keys = [edges.map(({ kind }) => kind), edges.map(({ fromId }) => fromId), edges.map(({ toId }) => toId)];
    await client.query(
      `insert into graph_edges (kind, from_id, to_id, event_id, occurred_at)
       select * from unnest($1::text[], $2::uuid[], $3::uuid[], $4::uuid[], $5::timestamptz[])
       on conflict (kind, from_id, to_id) do update set event_id = excluded.event_id, occurred_at = excluded.occurred_at
         where (excluded.occurred_at, excluded.event_id) < (graph_edges.occurred_at, graph_edges.event_id)`,
      [...keys, edges.map(({ madeBy }) => madeBy.eventId), edges.map(({ madeBy }) => isoTime(madeBy.occurredAtMs))],
    );
  }
  const levels = edges.flatMap((edge) => (edge.level === undefined ? [] : [{ ...edge, level: edge.level }]));
  if (levels.length > 0) {
    await client.query(
      `update graph_edges g set level = u.l, level_event_id = u.e, level_occurred_at = u.t
       from unnest($1::text[], $2::uuid[], $3::uuid[], $4::text[], $5::uuid[], $6::timestamptz[]) as u (k, f, o, l, e, t)
       where g.kind = u.k and g.from_id = u.f and g.to_id = u.o
         and (g.level_occurred_at is null or (u.t, u.e) > (g.level_occurred_at, g.level_event_id))`,
      [
        levels.map(({ kind }) => kind),
        levels.map(({ fromId }) => fromId),
        levels.map(({ toId }) => toId),
        levels.map(({ level }) => level.level),
        levels.map(({ level }) => level.setBy.eventId),
        levels.map(({ level }) => isoTime(level.setBy.occurredAtMs)),
      ],
    );
  }
};
