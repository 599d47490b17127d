/** Which deviations are meant, as SQLite's SQL. */
import type { SQLInputValue } from 'node:sqlite';
import { AGENT_DEVIATION } from '../../../schemas/index.ts';
import type { DeviationFilter } from '../deviation-filter.ts';
import type { RowPlace } from '../store.ts';

const placeholders = (values: readonly unknown[]): string => values.map(() => '?').join(', ');

/** As the full-text index takes it, whatever it holds. */
const asWord = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** Conditions with their values; a filter that is absent adds none. */
export const whereOf = (
  filter: DeviationFilter,
  behind?: RowPlace,
): { readonly sql: string; readonly values: readonly SQLInputValue[] } => {
  const parts: string[] = ['type = ?'];
  const values: SQLInputValue[] = [AGENT_DEVIATION];
  const oneOf = (column: string, wanted: readonly string[] | undefined): void => {
    if (wanted === undefined || wanted.length === 0) return;
    parts.push(`${column} in (${placeholders(wanted)})`);
    values.push(...wanted);
  };
  oneOf('tipo', filter.tipos);
  oneOf('agente', filter.agentes);
  oneOf('session_id', filter.sessionIds);
  oneOf('project_id', filter.projectIds);
  oneOf('id', filter.eventIds);
  oneOf('trace_id', filter.traceIds);
  if (filter.evidenceIds !== undefined && filter.evidenceIds.length > 0) {
    parts.push('id in (select id from session_event_evidence where session_event_evidence match ?)');
    values.push(filter.evidenceIds.map(asWord).join(' OR '));
  }
  const timeBound = (operator: '>=' | '<', ms: number | undefined): void => {
    if (ms === undefined) return;
    parts.push(`occurred_at ${operator} ?`);
    values.push(new Date(ms).toISOString());
  };
  timeBound('>=', filter.sinceMs);
  timeBound('<', filter.untilMs);
  if (behind !== undefined) {
    // The first half says it again for the index of the time.
    parts.push('occurred_at <= ? and (occurred_at, id) < (?, ?)');
    values.push(behind.occurredAt, behind.occurredAt, behind.eventId);
  }
  return { sql: parts.join(' and '), values };
};

/** The newest of them, at most so many. */
export const selectNewest = (
  filter: DeviationFilter,
  limit: number | undefined,
  behind?: RowPlace,
): { readonly sql: string; readonly values: readonly SQLInputValue[] } => {
  const { sql, values } = whereOf(filter, behind);
  return {
    sql: `select * from session_events where ${sql} order by occurred_at desc, id desc limit ?`,
    values: [...values, limit ?? -1],
  };
};
