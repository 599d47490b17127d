/** Which deviations are meant, as SQLite's SQL. */
import type { SQLInputValue } from 'node:sqlite';
import { AGENT_DEVIATION } from '../../../schemas/index.ts';
import type { DeviationFilter } from '../deviation-filter.ts';
import type { RowPlace } from '../store.ts';
import { matching } from './words.ts';

const placeholders = (values: readonly unknown[]): string => values.map(() => '?').join(', ');

/** By its word to the place, by the place to the row (`cross join` keeps the order), and there by the id itself. */
const worded = (condition: string): string => `id in (select id from session_event_words cross join session_events
  on log_offset * 4096 + partition % 4096 = +session_event_words.rowid
  where session_event_words match ? and ${condition})`;

const isGiven = (wanted: readonly string[] | undefined): wanted is readonly string[] =>
  wanted !== undefined && wanted.length > 0;

/** Conditions with their values; a filter that is absent adds none. */
export const whereOf = (
  filter: DeviationFilter,
  behind?: RowPlace,
): { readonly sql: string; readonly values: readonly SQLInputValue[] } => {
  const parts: string[] = ['type = ?'];
  const values: SQLInputValue[] = [AGENT_DEVIATION];
  // The planner takes a kind for ten rows: with a plus before it a column offers no index, and the words come first.
  const also = isGiven(filter.evidenceIds) || isGiven(filter.traceIds) ? '+' : '';
  const oneOf = (column: string, wanted: readonly string[] | undefined): void => {
    if (!isGiven(wanted)) return;
    parts.push(`${also}${column} in (${placeholders(wanted)})`);
    values.push(...wanted);
  };
  oneOf('tipo', filter.tipos);
  oneOf('agente', filter.agentes);
  oneOf('session_id', filter.sessionIds);
  oneOf('project_id', filter.projectIds);
  oneOf('id', filter.eventIds);
  const oneByItsWord = (condition: (list: string) => string, wanted: readonly string[] | undefined): void => {
    if (!isGiven(wanted)) return;
    parts.push(worded(condition(placeholders(wanted))));
    values.push(matching(wanted), ...wanted);
  };
  oneByItsWord((list) => `trace_id in (${list})`, filter.traceIds);
  oneByItsWord(
    (list) => `exists (select 1 from json_each(evidence_event_ids) where value in (${list}))`,
    filter.evidenceIds,
  );
  const timeBound = (operator: '>=' | '<', ms: number | undefined): void => {
    if (ms === undefined) return;
    parts.push(`${also}occurred_at ${operator} ?`);
    values.push(new Date(ms).toISOString());
  };
  timeBound('>=', filter.sinceMs);
  timeBound('<', filter.untilMs);
  if (behind !== undefined) {
    // The first half says it again for the index of the time.
    parts.push(`${also}occurred_at <= ? and (occurred_at, id) < (?, ?)`);
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
