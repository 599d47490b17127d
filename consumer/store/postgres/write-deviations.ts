/** Deviations into `session_events`, inside the transaction of whoever writes them: copied as a whole, inserted as a set. */
import pg from 'pg';
import { AGENT_DEVIATION, shownActor } from '../../../schemas/index.ts';
import type { DeviationRow } from '../../outcome.ts';
import type { PartitionKey } from '../store.ts';
import { isRowRefused } from './connection.ts';
import { copyIn } from './copy-query.ts';
import { COPIED_COLUMNS, createCopyForm } from './copy-rows.ts';

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

export const COLUMNS = COPIED_COLUMNS.map((column) => column.split(' ')[0]).join(', ');

const COPY = `copy incoming (${COLUMNS}) from stdin (format binary)`;

/** Each connection has one; it is empty outside of a transaction. */
export const MAKE_INCOMING = `create temporary table incoming (${COPIED_COLUMNS.join(', ')}) on commit delete rows`;

/**
 * Rows from `source` into the table; answers the ids that were there already. By id, so that two writers lock in one
 * order; of those with one id the first in the log stands.
 */
const insertFrom = (source: string, { topic, partition }: PartitionKey): string => `
  with fresh as (
    insert into session_events (${COLUMNS}, type, topic, partition, recorded_at)
    select ${COLUMNS}, '${AGENT_DEVIATION}', ${pg.escapeLiteral(topic)}, ${partition}, now() from ${source}
    order by id, log_offset
    on conflict (id) do nothing
    returning id
  )
  select id from ${source} where id not in (select id from fresh)`;

/** How it went with the first row of each id. */
interface Inserted {
  readonly known: ReadonlySet<string>;
  readonly refused: ReadonlySet<DeviationRow>;
}

const idsIn = (result: pg.QueryResult | undefined): ReadonlySet<string> =>
  new Set(result?.rows.map(({ id }) => String(id)));

const byId = (a: DeviationRow, b: DeviationRow): number => {
  if (a.event.eventId === b.event.eventId) return 0;
  return a.event.eventId < b.event.eventId ? -1 : 1;
};

/**
 * Sorted by id, so that two writers lock in one order, and each id once: the first in the log stands for it, for sorting
 * leaves equals in their order.
 */
const firstOfEach = (rows: readonly DeviationRow[]): readonly DeviationRow[] => {
  const sorted = [...rows].sort(byId);
  return sorted.filter((row, at) => row.event.eventId !== sorted[at - 1]?.event.eventId);
};

/** A few rows as one parameter, by their `jsonForm`. */
export const givenBy = (parameter: string): string =>
  `json_to_recordset(${parameter}) as given (${COPIED_COLUMNS.join(', ')})`;

export const jsonForm = (rows: readonly DeviationRow[]): string =>
  JSON.stringify(
    rows.map(({ event, offset, schemaId, contentHash, traceId }) => ({
      id: event.eventId,
      session_id: event.sessionId,
      project_id: event.projectId,
      actor: shownActor(event.actor),
      occurred_at: new Date(event.occurredAt).toISOString(),
      agente: event.agente,
      tipo: event.tipo,
      evidence_event_ids: event.evidenceEventIds,
      log_offset: String(offset),
      schema_id: schemaId,
      content_hash: contentHash,
      trace_id: traceId ?? null,
    })),
  );

/**
 * By halves until the refused row stands alone; a savepoint takes back what a half had written. Not copied: the locks of
 * the transaction would wait for the bytes.
 */
const insertOrIsolate = async (
  client: pg.PoolClient,
  key: PartitionKey,
  rows: readonly DeviationRow[],
): Promise<Inserted> => {
  await client.query('savepoint rows');
  try {
    const result = await client.query(insertFrom(givenBy('$1'), key), [jsonForm(rows)]);
    await client.query('release savepoint rows');
    return { known: idsIn(result), refused: new Set() };
  } catch (error) {
    if (!isRowRefused(error)) throw error;
    await client.query('rollback to savepoint rows');
    if (rows.length === 1) return { known: new Set(), refused: new Set(rows) };
    const middle = Math.ceil(rows.length / 2);
    const left = await insertOrIsolate(client, key, rows.slice(0, middle));
    const right = await insertOrIsolate(client, key, rows.slice(middle));
    return { known: left.known.union(right.known), refused: left.refused.union(right.refused) };
  }
};

/** The hash that stands under each id now. */
const storedHashes = async (client: pg.PoolClient, ids: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  if (ids.length === 0) return new Map();
  const { rows } = await client.query('select id, content_hash from session_events where id = any($1::uuid[])', [ids]);
  return new Map(rows.map(({ id, content_hash: hash }): [string, string] => [String(id), String(hash)]));
};

const outcomes = async (
  client: pg.PoolClient,
  rows: readonly DeviationRow[],
  firsts: readonly DeviationRow[],
  { known, refused }: Inserted,
): Promise<WrittenRows> => {
  const stored = new Set(firsts.filter((row) => !known.has(row.event.eventId) && !refused.has(row)));
  const others = rows.filter((row) => !stored.has(row) && !refused.has(row));
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
  return judged.reduce(both, { ...NOTHING, stored: stored.size, refused: [...refused] });
};

export const writeDeviations = async (
  client: pg.PoolClient,
  key: PartitionKey,
  rows: readonly DeviationRow[],
): Promise<WrittenRows> => {
  if (rows.length === 0) return NOTHING;
  const firsts = firstOfEach(rows);
  return outcomes(client, rows, firsts, await insertOrIsolate(client, key, firsts));
};

export interface Opened {
  /** What the opening statement answered. */
  readonly answer: Readonly<Record<string, unknown>> | undefined;
  /** Undefined: a row was refused, so nothing is written yet. */
  readonly write: () => Promise<WrittenRows>;
}

interface Encoded {
  readonly bytes: Buffer;
  readonly rows: number;
  /** No id is there twice. */
  readonly isUnique: boolean;
}

/** Row by row, so that each is forgotten before the next is made. */
const encode = (rows: Iterable<DeviationRow>): Encoded | undefined => {
  const form = createCopyForm();
  const ids = new Set<string>();
  let count = 0;
  for (const row of rows) {
    form.add(row);
    ids.add(row.event.eventId);
    count += 1;
  }
  return count === 0 ? undefined : { bytes: form.end(), rows: count, isUnique: ids.size === count };
};

/**
 * `begin`, the rows, and one opening query, in one round trip. The rows come first: the server waits for their bytes, with
 * no limit of its own, and what the opening query locks would be locked by a sink that is frozen there. A row that is
 * refused as data takes the whole transaction with it: then it is begun anew, with the opening query alone, and `write`
 * isolates the row. The rows are asked for again only where a repeat or a refused one has to be told from the others.
 */
export const beginWithDeviations = async (
  client: pg.PoolClient,
  key: PartitionKey,
  opening: string,
  rows: Iterable<DeviationRow>,
): Promise<Opened> => {
  const begin = `begin; ${opening}`;
  const encoded = encode(rows);
  if (encoded === undefined) return anew(client, key, begin, rows);
  try {
    const sql = `begin; ${COPY}; ${opening}; ${insertFrom('incoming', key)}`;
    const [, , opened, repeats] = await copyIn(client, sql, encoded.bytes);
    const known = idsIn(repeats);
    const write = async (): Promise<WrittenRows> => {
      if (known.size === 0 && encoded.isUnique) return { ...NOTHING, stored: encoded.rows };
      const all = [...rows];
      return outcomes(client, all, firstOfEach(all), { known, refused: new Set() });
    };
    return { answer: opened?.rows[0], write };
  } catch (error) {
    if (!isRowRefused(error)) throw error;
    return anew(client, key, `rollback; ${begin}`, rows);
  }
};

const anew = async (
  client: pg.PoolClient,
  key: PartitionKey,
  sql: string,
  rows: Iterable<DeviationRow>,
): Promise<Opened> => {
  // More than one statement: pg answers with a list, its types with one result.
  const results = (await client.query(sql)) as unknown as readonly pg.QueryResult[];
  return { answer: results.at(-1)?.rows[0], write: () => writeDeviations(client, key, [...rows]) };
};
