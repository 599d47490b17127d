/** What a counted row of either database says, in our types. */
import type { Counted, Dimension, SlotCount } from './counting.ts';
import type { Row } from './from-row.ts';

const keysIn = (row: Row, by: readonly Dimension[]): readonly string[] => by.map((_, at) => String(row[`key_${at}`]));

/** Without dimensions there is one row also when there is nothing: it counts as none. */
export const countedIn = (row: Row, by: readonly Dimension[], firstAt: string, lastAt: string): readonly Counted[] =>
  Number(row.n) === 0
    ? []
    : [{ keys: keysIn(row, by), count: Number(row.n), sessions: Number(row.sessions), firstAt, lastAt }];

export const slotCountIn = (row: Row, by: readonly Dimension[]): SlotCount => ({
  keys: keysIn(row, by),
  slot: Number(row.slot),
  count: Number(row.n),
});
