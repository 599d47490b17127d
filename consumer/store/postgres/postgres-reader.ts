/** Questions of the tools to PostgreSQL, in transactions that can change nothing. */
import pg from 'pg';
import { AGENT_DEVIATION } from '../../../schemas/index.ts';
import type { DeviationFilter } from '../deviation-filter.ts';
import { deviationIn, lossIn, openQuarantineIn, positionIn, quarantineEntryIn, type Row } from '../from-row.ts';
import type { QuarantineFilter } from '../quarantine-entry.ts';
import type { StoreReader } from '../store.ts';
import { clientConfig, type PostgresSettings, postgresError } from './connection.ts';
import { requireMigrated } from './migrate.ts';

/** Conditions with their values; a filter that is absent adds none. */
const whereOf = (filter: DeviationFilter): { readonly sql: string; readonly values: readonly unknown[] } => {
  const parts: string[] = ['type = $1'];
  const values: unknown[] = [AGENT_DEVIATION];
  const add = (condition: (place: string) => string, value: unknown): void => {
    values.push(value);
    parts.push(condition(`$${values.length}`));
  };
  const oneOf = (column: string, type: 'text' | 'uuid', wanted: readonly string[] | undefined): void => {
    if (wanted !== undefined && wanted.length > 0) add((place) => `${column} = any(${place}::${type}[])`, wanted);
  };
  oneOf('tipo', 'text', filter.tipos);
  oneOf('agente', 'text', filter.agentes);
  oneOf('session_id', 'uuid', filter.sessionIds);
  oneOf('project_id', 'uuid', filter.projectIds);
  oneOf('id', 'uuid', filter.eventIds);
  oneOf('trace_id', 'text', filter.traceIds);
  if (filter.evidenceIds !== undefined && filter.evidenceIds.length > 0) {
    add((place) => `evidence_event_ids && ${place}::uuid[]`, filter.evidenceIds);
  }
  if (filter.sinceMs !== undefined) add((place) => `occurred_at >= ${place}::timestamptz`, isoTime(filter.sinceMs));
  if (filter.untilMs !== undefined) add((place) => `occurred_at < ${place}::timestamptz`, isoTime(filter.untilMs));
  return { sql: parts.join(' and '), values };
};

const isoTime = (ms: number): string => new Date(ms).toISOString();

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

/** The driver makes a Date of an instant. */
const timeOf = (value: unknown): string => (value instanceof Date ? value.toISOString() : '');

const OPEN_QUARANTINE = `select consumer, reason, count(*) as n from quarantine
  where topic = $1 and state = 'open' group by consumer, reason order by consumer, n desc, reason`;
const LOSSES = 'select * from position_losses where topic = $1 order by adopted_at desc, consumer, partition';

export const openPostgresReader = (settings: PostgresSettings): StoreReader => {
  let connecting: Promise<pg.Client> | undefined;

  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client(clientConfig(settings));
    // Said again by the next question; unheard it would end the process.
    client.on('error', () => {
      connecting = undefined;
    });
    await client.connect();
    await client.query('set session characteristics as transaction read only');
    await requireMigrated(client);
    return client;
  };

  const ask = async (sql: string, values: readonly unknown[] = []): Promise<readonly Row[]> => {
    try {
      connecting ??= connect();
      const client = await connecting;
      const { rows } = await client.query<Row>(sql, [...values]);
      return rows;
    } catch (error) {
      connecting = undefined;
      throw postgresError(error, settings);
    }
  };

  const countOf = async (table: 'graph_nodes' | 'graph_edges'): Promise<number> =>
    Number((await ask(`select count(*) as n from ${table}`))[0]?.n);

  return {
    deviations: async (filter, limit) => {
      const { sql, values } = whereOf(filter);
      const rows = await ask(
        `select *, evidence_event_ids::text[] as evidence from session_events
         where ${sql} order by occurred_at desc, id desc limit $${values.length + 1}`,
        [...values, limit ?? null],
      );
      return rows.map((row) =>
        deviationIn(row, {
          occurredAt: timeOf(row.occurred_at),
          recordedAt: timeOf(row.recorded_at),
          evidenceEventIds: row.evidence as readonly string[], // cast to text[] by the statement
        }),
      );
    },
    positions: async (topic) => {
      const rows = await ask('select * from stream_positions where topic = $1 order by consumer, partition', [topic]);
      return rows.map(positionIn).filter((row) => row !== undefined);
    },
    openQuarantine: async (topic) => (await ask(OPEN_QUARANTINE, [topic])).flatMap(openQuarantineIn),
    quarantine: async (topic, filter) =>
      (await ask(QUARANTINE, quarantineValues(topic, filter))).flatMap((row) => quarantineEntryIn(row, timeOf)),
    losses: async (topic) => (await ask(LOSSES, [topic])).flatMap((row) => lossIn(row, timeOf(row.adopted_at))),
    graphSize: async () => ({ nodes: await countOf('graph_nodes'), edges: await countOf('graph_edges') }),
    graphDump: async () => {
      const nodes = await ask('select * from graph_nodes order by kind, id');
      const edges = await ask('select * from graph_edges order by kind, from_id, to_id');
      return [...nodes, ...edges].map((row) => JSON.stringify(row));
    },
    select: (sql) => ask(sql),
    close: async () => {
      await connecting?.then((client) => client.end()).catch(() => {});
    },
  };
};
