/** Questions of the tools to PostgreSQL, in transactions that can change nothing. */
import {
  deviationIn,
  lossIn,
  openQuarantineIn,
  placeIn,
  positionIn,
  quarantineEntryIn,
  type Row,
} from '../from-row.ts';
import type { QuarantineFilter } from '../quarantine-entry.ts';
import type { StoreReader } from '../store.ts';
import type { PostgresSettings } from './connection.ts';
import { countBy, countSlots } from './count.ts';
import { requireMigrated } from './migrate.ts';
import { openReadingSession } from './reading-session.ts';
import { isoTime, selectNewest, timeOf } from './where.ts';

const QUARANTINE = `select * from quarantine where topic = $1
  and ($2::text[] is null or consumer = any($2)) and ($3::text[] is null or reason = any($3))
  and ($4::text[] is null or state = any($4)) and ($5::integer[] is null or partition = any($5))
  and ($6::bigint is null or log_offset >= $6) and ($7::bigint is null or log_offset < $7)
  and ($8::timestamptz is null or last_seen_at >= $8)
  order by last_seen_at desc, consumer, partition, log_offset limit $9`;

const quarantineValues = (topic: string, filter: QuarantineFilter): readonly unknown[] => [
  topic,
  filter.consumers ?? null,
  filter.reasons ?? null,
  filter.states ?? null,
  filter.partitions ?? null,
  filter.fromOffset === undefined ? null : String(filter.fromOffset),
  filter.toOffset === undefined ? null : String(filter.toOffset),
  filter.sinceMs === undefined ? null : isoTime(filter.sinceMs),
  filter.limit ?? null,
];

const OPEN_QUARANTINE = `select consumer, reason, count(*) as n from quarantine
  where topic = $1 and state = 'open' group by consumer, reason order by consumer, n desc, reason`;
const LOSSES = 'select * from position_losses where topic = $1 order by adopted_at desc, consumer, partition';

const QUARANTINED_IN = `select * from quarantine
  where consumer = $1 and topic = $2 and partition = $3 and log_offset >= $4 and log_offset < $5 order by log_offset`;
const STORED_PLACES = `select id, partition, log_offset, recorded_at from session_events
  where topic = $1 and ($2::uuid is null or id > $2) order by id limit $3`;

export const openPostgresReader = (settings: PostgresSettings): StoreReader => {
  const session = openReadingSession(settings, requireMigrated);
  const ask = (sql: string, values: readonly unknown[] = []): Promise<readonly Row[]> =>
    session.ask(async (client) => (await client.query<Row>(sql, [...values])).rows);

  const countOf = async (table: 'graph_nodes' | 'graph_edges'): Promise<number> =>
    Number((await ask(`select count(*) as n from ${table}`))[0]?.n);

  const deviations: StoreReader['deviations'] = async (filter, limit, behind) => {
    const { sql, values } = selectNewest(filter, limit, behind);
    const rows = await ask(sql, values);
    return rows.map((row) =>
      deviationIn(row, {
        occurredAt: timeOf(row.occurred_at),
        recordedAt: timeOf(row.recorded_at),
        evidenceEventIds: row.evidence as readonly string[], // cast to text[] by the statement
      }),
    );
  };

  const positions: StoreReader['positions'] = async (topic) => {
    const rows = await ask('select * from stream_positions where topic = $1 order by consumer, partition', [topic]);
    return rows.map(positionIn).filter((row) => row !== undefined);
  };

  return {
    deviations,
    counts: (filter, by) => countBy(ask, filter, by),
    slotCounts: (filter, by, slots) => countSlots(ask, filter, by, slots),
    positions,
    latest: async (topic, filter, limit) => {
      await ask('begin transaction isolation level repeatable read read only');
      const answer = { deviations: await deviations(filter, limit), positions: await positions(topic) };
      await ask('commit');
      return answer;
    },
    openQuarantine: async (topic) => (await ask(OPEN_QUARANTINE, [topic])).flatMap(openQuarantineIn),
    quarantine: async (topic, filter) =>
      (await ask(QUARANTINE, quarantineValues(topic, filter))).flatMap((row) => quarantineEntryIn(row, timeOf)),
    quarantinedIn: async ({ consumer, topic, partition }, from, to) =>
      (await ask(QUARANTINED_IN, [consumer, topic, partition, String(from), String(to)])).flatMap((row) =>
        quarantineEntryIn(row, timeOf),
      ),
    storedPlaces: async (topic, afterEventId, limit) =>
      (await ask(STORED_PLACES, [topic, afterEventId ?? null, limit])).map((row) => placeIn(row, timeOf)),
    losses: async (topic) => (await ask(LOSSES, [topic])).flatMap((row) => lossIn(row, timeOf(row.adopted_at))),
    graphSize: async () => ({ nodes: await countOf('graph_nodes'), edges: await countOf('graph_edges') }),
    graphDump: async () => {
      const nodes = await ask('select * from graph_nodes order by kind, id');
      const edges = await ask('select * from graph_edges order by kind, from_id, to_id');
      return [...nodes, ...edges].map((row) => JSON.stringify(row));
    },
    select: (sql) => ask(sql),
    close: () => session.close(),
  };
};
