/** Counting by SQL, in UTC whatever the zone of the session. */
import type { Counted, Dimension, SlotCount, Slots } from '../counting.ts';
import type { DeviationFilter } from '../deviation-filter.ts';
import { countedIn, slotCountIn } from '../from-counts.ts';
import { grouped, selected } from '../group-by.ts';
import type { Row } from '../from-row.ts';
import { timeOf, whereOf } from './where.ts';

type Ask = (sql: string, values: readonly unknown[]) => Promise<readonly Row[]>;

const UTC = "occurred_at at time zone 'UTC'";

const KEYS = {
  tipo: 'tipo',
  agente: 'agente',
  session: 'session_id',
  hour: `to_char(${UTC}, 'YYYY-MM-DD"T"HH24":00Z"')`,
  day: `to_char(${UTC}, 'YYYY-MM-DD')`,
  week: `to_char(${UTC}, 'IYYY"-W"IW')`,
} as const satisfies Record<Dimension, string>;

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
    values,
  );
  return rows.flatMap((row) => countedIn(row, by, timeOf(row.first_at), timeOf(row.last_at)));
};

export const countSlots = async (
  ask: Ask,
  filter: DeviationFilter,
  by: readonly Dimension[],
  { fromMs, slotMs, count }: Slots,
): Promise<readonly SlotCount[]> => {
  const { sql, values } = whereOf({ ...filter, sinceMs: fromMs, untilMs: fromMs + slotMs * count });
  const [from, length] = [`$${values.length + 1}::numeric`, `$${values.length + 2}::numeric`];
  const rows = await ask(
    `select ${selected(KEYS, by)} floor((extract(epoch from occurred_at) * 1000 - ${from}) / ${length})::integer as slot,
       count(*) as n
     from session_events where ${sql} ${grouped(by, 'slot')}`,
    [...values, fromMs, slotMs],
  );
  return rows.map((row) => slotCountIn(row, by));
};
