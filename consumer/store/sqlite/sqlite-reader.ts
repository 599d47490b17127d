/** Questions of the tools to one SQLite file; asking changes nothing. */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { deviationIn, lossIn, openQuarantineIn, positionIn, quarantineEntryIn, type Row } from '../from-row.ts';
import type { QuarantineFilter } from '../quarantine-entry.ts';
import type { StoreReader } from '../store.ts';
import { openSqliteForReading, sqliteError } from './connection.ts';
import { countBy, countSlots } from './count.ts';
import { requireMigrated } from './migrate.ts';
import { whereOf } from './where.ts';

const OPEN_QUARANTINE = `select consumer, reason, count(*) as n from quarantine
  where topic = ? and state = 'open' group by consumer, reason order by consumer, n desc, reason`;
const LOSSES = 'select * from position_losses where topic = ? order by adopted_at desc, consumer, partition';

/** A list as JSON text, which `json_each` takes apart; null lets everything through. */
const QUARANTINE = `select * from quarantine where topic = ?1
  and (?2 is null or consumer in (select value from json_each(?2)))
  and (?3 is null or reason in (select value from json_each(?3)))
  and (?4 is null or state in (select value from json_each(?4)))
  and (?5 is null or partition in (select value from json_each(?5)))
  and (?6 is null or log_offset >= ?6) and (?7 is null or log_offset < ?7) and (?8 is null or last_seen_at >= ?8)
  order by last_seen_at desc, consumer, partition, log_offset limit ?9`;

/** Times are text here. */
const timeOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const listed = (values: readonly unknown[] | undefined): string | null =>
  values === undefined ? null : JSON.stringify(values);

const quarantineValues = (topic: string, filter: QuarantineFilter): readonly SQLInputValue[] => [
  topic,
  listed(filter.consumers),
  listed(filter.reasons),
  listed(filter.states),
  listed(filter.partitions),
  filter.fromOffset ?? null,
  filter.toOffset ?? null,
  filter.sinceMs === undefined ? null : new Date(filter.sinceMs).toISOString(),
  filter.limit ?? -1,
];

/** Opened anew for every question, so that no reader holds an old state or the writer's log. */
export const openSqliteReader = (file: string): StoreReader => {
  const ask = (sql: string, ...values: readonly SQLInputValue[]): Promise<Row[]> =>
    new Promise((resolve, reject) => {
      let database: DatabaseSync | undefined;
      try {
        database = openSqliteForReading(file);
        requireMigrated(database, file);
        const statement = database.prepare(sql);
        statement.setReadBigInts(true);
        resolve(statement.all(...values));
      } catch (error) {
        reject(sqliteError(error, file));
      } finally {
        database?.close();
      }
    });

  const countOf = async (table: 'graph_nodes' | 'graph_edges'): Promise<number> =>
    Number((await ask(`select count(*) as n from ${table}`))[0]?.n);

  return {
    deviations: async (filter, limit) => {
      const { sql, values } = whereOf(filter);
      const rows = await ask(
        `select * from session_events where ${sql} order by occurred_at desc, id desc limit ?`,
        ...values,
        limit ?? -1,
      );
      return rows.map((row) =>
        deviationIn(row, {
          occurredAt: String(row.occurred_at),
          recordedAt: String(row.recorded_at),
          evidenceEventIds: JSON.parse(String(row.evidence_event_ids)) as string[], // the table's check says JSON, the sink wrote a list
        }),
      );
    },
    counts: (filter, by) => countBy(ask, filter, by),
    slotCounts: (filter, by, slots) => countSlots(ask, filter, by, slots),
    positions: async (topic) => {
      const rows = await ask('select * from stream_positions where topic = ? order by consumer, partition', topic);
      return rows.map(positionIn).filter((row) => row !== undefined);
    },
    openQuarantine: async (topic) => (await ask(OPEN_QUARANTINE, topic)).flatMap(openQuarantineIn),
    quarantine: async (topic, filter) =>
      (await ask(QUARANTINE, ...quarantineValues(topic, filter))).flatMap((row) => quarantineEntryIn(row, timeOf)),
    losses: async (topic) => (await ask(LOSSES, topic)).flatMap((row) => lossIn(row, String(row.adopted_at))),
    graphSize: async () => ({ nodes: await countOf('graph_nodes'), edges: await countOf('graph_edges') }),
    graphDump: async () => {
      const nodes = await ask('select * from graph_nodes order by kind, id');
      const edges = await ask('select * from graph_edges order by kind, from_id, to_id');
      return [...nodes, ...edges].map((row) => JSON.stringify(row));
    },
    select: (sql) => ask(sql),
    close: () => Promise.resolve(),
  };
};
