/** The verbs of a flush; all run inside the transaction of `postgres-store.ts`. Set-based: a statement a kind, not a row. */
import type { PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { finished } from 'node:stream/promises';
import { AGENT_DEVIATION } from '../../../schemas/index.ts';
import type { MergedGraph } from '../../graph/merge.ts';
import type { DeviationRow, QuarantinePointer } from '../../outcome.ts';
import { shownRecordTime } from '../quarantine-entry.ts';
import type { PartitionKey } from '../store.ts';
import { isRowRefused } from './connection.ts';
import { COPIED_COLUMNS, copyForm } from './copy-rows.ts';

export interface WrittenRows {
  readonly stored: number;
  readonly duplicate: number;
  /** The first row under their id stands. */
  readonly clashes: readonly DeviationRow[];
  /** What the database refuses as data. */
  readonly refused: readonly DeviationRow[];
}

const NOTHING: WrittenRows = { stored: 0, duplicate: 0, clashes: [], refused: [] };

const both = (a: WrittenRows, b: WrittenRows): WrittenRows => ({
  stored: a.stored + b.stored,
  duplicate: a.duplicate + b.duplicate,
  clashes: [...a.clashes, ...b.clashes],
  refused: [...a.refused, ...b.refused],
});

const COLUMNS = COPIED_COLUMNS.map((column) => column.split(' ')[0]).join(', ');

const MAKE_INCOMING = `create temporary table if not exists incoming (${COPIED_COLUMNS.join(', ')}) on commit delete rows`;
const INSERT = `
  insert into session_events (${COLUMNS}, type, topic, partition, recorded_at)
  select ${COLUMNS}, $1, $2, $3, now() from incoming
  on conflict (id) do nothing
  returning id`;

/** Sorted by id, so that two writers lock in one order, and each id once: the first in the log stands for it. */
const firstOfEach = (rows: readonly DeviationRow[]): readonly DeviationRow[] => {
  const byId = new Map<string, DeviationRow>();
  for (const row of rows) if (!byId.has(row.event.eventId)) byId.set(row.event.eventId, row);
  return [...byId.values()].sort((a, b) => (a.event.eventId < b.event.eventId ? -1 : 1));
};

/** Answers the ids that are new. */
const insertAll = async (
  client: PoolClient,
  key: PartitionKey,
  rows: readonly DeviationRow[],
): Promise<ReadonlySet<string>> => {
  await client.query('delete from incoming');
  const copy = client.query(copyFrom(`copy incoming (${COLUMNS}) from stdin (format binary)`));
  copy.end(copyForm(rows));
  await finished(copy);
  const { rows: inserted } = await client.query(INSERT, [AGENT_DEVIATION, key.topic, key.partition]);
  return new Set(inserted.map(({ id }) => String(id)));
};

/** By halves until the refused row stands alone; a savepoint takes back what a half had written. */
const insertOrIsolate = async (
  client: PoolClient,
  key: PartitionKey,
  rows: readonly DeviationRow[],
): Promise<{ readonly inserted: ReadonlySet<string>; readonly refused: readonly DeviationRow[] }> => {
  await client.query('savepoint rows');
  try {
    const inserted = await insertAll(client, key, rows);
    await client.query('release savepoint rows');
    return { inserted, refused: [] };
  } catch (error) {
    if (!isRowRefused(error)) throw error;
    await client.query('rollback to savepoint rows');
    if (rows.length === 1) return { inserted: new Set(), refused: rows };
    const middle = Math.ceil(rows.length / 2);
    const left = await insertOrIsolate(client, key, rows.slice(0, middle));
    const right = await insertOrIsolate(client, key, rows.slice(middle));
    return { inserted: new Set([...left.inserted, ...right.inserted]), refused: [...left.refused, ...right.refused] };
  }
};

/** The hash that stands under each id now. */
const storedHashes = async (client: PoolClient, ids: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  if (ids.length === 0) return new Map();
  const { rows } = await client.query('select id, content_hash from session_events where id = any($1::uuid[])', [ids]);
  return new Map(rows.map(({ id, content_hash: hash }): [string, string] => [String(id), String(hash)]));
};

export const writeDeviations = async (
  client: PoolClient,
  key: PartitionKey,
  rows: readonly DeviationRow[],
): Promise<WrittenRows> => {
  if (rows.length === 0) return NOTHING;
  await client.query(MAKE_INCOMING);
  const firsts = firstOfEach(rows);
  const { inserted, refused } = await insertOrIsolate(client, key, firsts);
  const isFirst = new Set(firsts);
  const others = rows.filter((row) => !(isFirst.has(row) && inserted.has(row.event.eventId)) && !refused.includes(row));
  const hashes = await storedHashes(
    client,
    others.map(({ event }) => event.eventId),
  );
  const judged = others.map((row): WrittenRows => {
    const hash = hashes.get(row.event.eventId);
    // A repeat of a refused row is refused like it.
    if (hash === undefined) return { ...NOTHING, refused: [row] };
    return hash === row.contentHash ? { ...NOTHING, duplicate: 1 } : { ...NOTHING, clashes: [row] };
  });
  return judged.reduce(both, { ...NOTHING, stored: inserted.size, refused });
};

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
     on conflict (consumer, topic, partition, log_offset) do update
       set last_seen_at = excluded.last_seen_at, attempts = quarantine.attempts + 1`,
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
