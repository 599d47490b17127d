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
  if (behind !== undefined) {
    values.push(behind.occurredAt, behind.eventId);
    const [time, id] = [`$${values.length - 1}::timestamptz`, `$${values.length}::uuid`];
    // The first half says it again for the index of the time.
    parts.push(`occurred_at <= ${time} and (occurred_at, id) < (${time}, ${id})`);
  }
  return { sql: parts.join(' and '), values };
};

/** The driver makes a Date of an instant. */
export const timeOf = (value: unknown): string => (value instanceof Date ? value.toISOString() : '');
