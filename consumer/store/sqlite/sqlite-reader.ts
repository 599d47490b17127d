/** Questions of the tools to one SQLite file; asking changes nothing. */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { DeviationFilter } from '../deviation-filter.ts';
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
import type { PositionRow, RowPlace, StoredDeviation, StoreReader } from '../store.ts';
import { openSqliteForReading, sqliteError } from './connection.ts';
import { countBy, countSlots } from './count.ts';
import { requireMigrated } from './migrate.ts';
import { selectNewest } from './where.ts';

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

const QUARANTINED_IN = `select * from quarantine
  where consumer = ? and topic = ? and partition = ? and log_offset >= ? and log_offset < ? order by log_offset`;
const STORED_PLACES = `select id, partition, log_offset, recorded_at from session_events
  where topic = ? and id > ? order by id limit ?`;

type Ask = (sql: string, ...values: readonly SQLInputValue[]) => Row[];

const deviationsIn = (
  ask: Ask,
  filter: DeviationFilter,
  limit: number | undefined,
  behind?: RowPlace,
): readonly StoredDeviation[] => {
  const { sql, values } = selectNewest(filter, limit, behind);
  return ask(sql, ...values).map((row) =>
    deviationIn(row, {
      occurredAt: String(row.occurred_at),
      recordedAt: String(row.recorded_at),
      evidenceEventIds: JSON.parse(String(row.evidence_event_ids)) as string[], // the table's check says JSON, the sink wrote a list
    }),
  );
};

const positionsIn = (ask: Ask, topic: string): readonly PositionRow[] =>
  ask('select * from stream_positions where topic = ? order by consumer, partition', topic)
    .map(positionIn)
    .filter((row) => row !== undefined);

/** Opened anew for every question, so that no reader holds an old state or the writer's log. */
export const openSqliteReader = (file: string): StoreReader => {
  /** What is asked in one look is answered by one state of the file. */
  const look = <T>(questions: (ask: Ask) => T): Promise<T> =>
    new Promise((resolve, reject) => {
      let database: DatabaseSync | undefined;
      try {
        database = openSqliteForReading(file);
        requireMigrated(database, file);
        const opened = database;
        opened.exec('begin');
        const answer = questions((sql, ...values) => {
          const statement = opened.prepare(sql);
          statement.setReadBigInts(true);
          return statement.all(...values);
        });
        opened.exec('commit');
        resolve(answer);
      } catch (error) {
        reject(sqliteError(error, file));
      } finally {
        database?.close();
      }
    });

  const ask = (...question: Parameters<Ask>): Promise<Row[]> => look((asked) => asked(...question));

  const countOf = async (table: 'graph_nodes' | 'graph_edges'): Promise<number> =>
    Number((await ask(`select count(*) as n from ${table}`))[0]?.n);

  return {
    deviations: (filter, limit, behind) => look((asked) => deviationsIn(asked, filter, limit, behind)),
    counts: (filter, by) => countBy(ask, filter, by),
    slotCounts: (filter, by, slots) => countSlots(ask, filter, by, slots),
    positions: (topic) => look((asked) => positionsIn(asked, topic)),
    latest: (topic, filter, limit) =>
      look((asked) => ({ deviations: deviationsIn(asked, filter, limit), positions: positionsIn(asked, topic) })),
    openQuarantine: async (topic) => (await ask(OPEN_QUARANTINE, topic)).flatMap(openQuarantineIn),
    quarantine: async (topic, filter) =>
      (await ask(QUARANTINE, ...quarantineValues(topic, filter))).flatMap((row) => quarantineEntryIn(row, timeOf)),
    quarantinedIn: async ({ consumer, topic, partition }, from, to) =>
      (await ask(QUARANTINED_IN, consumer, topic, partition, from, to)).flatMap((row) =>
        quarantineEntryIn(row, timeOf),
      ),
    storedPlaces: async (topic, afterEventId, limit) =>
      (await ask(STORED_PLACES, topic, afterEventId ?? '', limit)).map((row) => placeIn(row, timeOf)),
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
