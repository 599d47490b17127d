/** Counting by SQL. Times are RFC 3339 text in UTC, so that most buckets are the beginning of it. */
import type { SQLInputValue } from 'node:sqlite';
import type { Counted, Dimension, SlotCount, Slots } from '../counting.ts';
import type { DeviationFilter } from '../deviation-filter.ts';
import type { Row } from '../from-row.ts';
import { countedIn, slotCountIn } from '../from-counts.ts';
import { grouped, selected } from '../group-by.ts';
import { whereOf } from './where.ts';

type Ask = (sql: string, ...values: readonly SQLInputValue[]) => Promise<readonly Row[]>;

const KEYS = {
  tipo: 'tipo',
  agente: 'agente',
  session: 'session_id',
  hour: "substr(occurred_at, 1, 13) || ':00Z'",
  day: 'substr(occurred_at, 1, 10)',
  week: "strftime('%G-W%V', occurred_at)",
} as const satisfies Record<Dimension, string>;

const MS = "cast(round(unixepoch(occurred_at, 'subsec') * 1000) as integer)";

export const countBy = async (
  ask: Ask,
  filter: DeviationFilter,
  by: readonly Dimension[],
): Promise<readonly Counted[]> => {
  const { sql, values } = whereOf(filter);
  const rows = await ask(
    `select ${selected(KEYS, by)} count(*) as n, count(distinct session_id) as sessions,
       min(occurred_at) as first_at, max(occurred_at) as last_at
     from session_events where ${sql} ${grouped(by)}`,
    ...values,
  );
  return rows.flatMap((row) => countedIn(row, by, String(row.first_at), String(row.last_at)));
};

export const countSlots = async (
  ask: Ask,
  filter: DeviationFilter,
  by: readonly Dimension[],
  { fromMs, slotMs, count }: Slots,
): Promise<readonly SlotCount[]> => {
  const { sql, values } = whereOf({ ...filter, sinceMs: fromMs, untilMs: fromMs + slotMs * count });
  const rows = await ask(
    `select ${selected(KEYS, by)} (${MS} - ?) / ? as slot, count(*) as n
     from session_events where ${sql} ${grouped(by, 'slot')}`,
    // A whole number: the driver would hand a number over as a float, and the division would not be one of integers.
    BigInt(fromMs),
    BigInt(slotMs),
    ...values,
  );
  return rows.map((row) => slotCountIn(row, by));
};
