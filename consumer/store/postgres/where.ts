/** Which deviations are meant, as PostgreSQL's SQL. */
import { AGENT_DEVIATION } from '../../../schemas/index.ts';
import type { DeviationFilter } from '../deviation-filter.ts';
import type { RowPlace } from '../store.ts';

export const isoTime = (ms: number): string => new Date(ms).toISOString();

/** Conditions with their values; a filter that is absent adds none. */
export const whereOf = (
  filter: DeviationFilter,
  behind?: RowPlace,
): { readonly sql: string; readonly values: readonly unknown[] } => {
  const parts: string[] = ['type = $1'];
  const values: unknown[] = [AGENT_DEVIATION];
  const add = (condition: (place: string) => string, value: unknown): void => {
    values.push(value);
    parts.push(condition(`$${values.length}`));
  };
  const oneOf = (column: string, type: 'text' | 'uuid', wanted: readonly string[] | undefined): void => {
    if (wanted === undefined || wanted.length === 0) return;
    // One value alone lets an index that carries the time answer the newest first.
    if (wanted.length === 1) add((place) => `${column} = ${place}::${type}`, wanted[0]);
    else add((place) => `${column} = any(${place}::${type}[])`, wanted);
  };
  oneOf('tipo', 'text', filter.tipos);
  oneOf('agente', 'text', filter.agentes);
  oneOf('session_id', 'uuid', filter.sessionIds);
  oneOf('project_id', 'uuid', filter.projectIds);
  oneOf('id', 'uuid', filter.eventIds);
  oneOf('trace_id', 'text', filter.traceIds);
  if (filter.evidenceIds !== undefined && filter.evidenceIds.length > 0) {
    // First by the index, whatever the rest: the planner takes any id for one in two hundred and would rather go by time.
    add(
      (place) => `id = any(array(select id from session_events where evidence_event_ids && ${place}::uuid[]))`,
      filter.evidenceIds,
    );
  }
  if (filter.sinceMs !== undefined) add((place) => `occurred_at >= ${place}::timestamptz`, isoTime(filter.sinceMs));
  if (filter.untilMs !== undefined) add((place) => `occurred_at < ${place}::timestamptz`, isoTime(filter.untilMs));
  if (behind !== undefined) {
    values.push(behind.occurredAt, behind.eventId);
    const [time, id] = [`$${values.length - 1}::timestamptz`, `$${values.length}::uuid`];
    // The first half says it again for the index of the time.
    parts.push(`occurred_at <= ${time} and (occurred_at, id) < (${time}, ${id})`);
  }
  return { sql: parts.join(' and '), values };
};

/** The newest of them, at most so many. */
export const selectNewest = (
  filter: DeviationFilter,
  limit: number | undefined,
  behind?: RowPlace,
): { readonly sql: string; readonly values: readonly unknown[] } => {
  const { sql, values } = whereOf(filter, behind);
  return {
    sql: `select *, evidence_event_ids::text[] as evidence from session_events
      where ${sql} order by occurred_at desc, id desc limit $${values.length + 1}`,
    values: [...values, limit ?? null],
  };
};

/** The driver makes a Date of an instant. */
export const timeOf = (value: unknown): string => (value instanceof Date ? value.toISOString() : '');
