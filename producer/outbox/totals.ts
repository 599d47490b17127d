/** The outbox's numbers, in its file because `deviations status` is another process. */
import type { DatabaseSync } from 'node:sqlite';
import { REFUSAL_CODES, type RefusalCode } from '../refusals.ts';

export const TOTALS = [
  'accepted',
  'repeatedSame',
  'repeatedOther',
  'relayed',
  'retried',
  /** Given up by an operator. */
  'discarded',
  /** Rows in the file, those set aside included, and their bytes. */
  'rows',
  'bytes',
  /** Ids that are remembered. */
  'remembered',
] as const;
export type TotalName = (typeof TOTALS)[number] | `refused.${RefusalCode}`;

export interface Totals {
  add(name: TotalName, count: number): void;
  read(): ReadonlyMap<string, number>;
}

export const createTotals = (database: DatabaseSync): Totals => {
  const add = database.prepare(
    'insert into totals (name, value) values (?, ?) on conflict (name) do update set value = value + excluded.value',
  );
  const all = database.prepare('select name, value from totals');
  return {
    add: (name, count) => {
      if (count !== 0) add.run(name, count);
    },
    read: () => new Map(all.all().map(({ name, value }): [string, number] => [String(name), Number(value)])),
  };
};

export const refusalsIn = (totals: ReadonlyMap<string, number>): Readonly<Partial<Record<RefusalCode, number>>> =>
  Object.fromEntries(
    REFUSAL_CODES.flatMap((code) => {
      const count = totals.get(`refused.${code}`);
      return count === undefined ? [] : [[code, count]];
    }),
  );
