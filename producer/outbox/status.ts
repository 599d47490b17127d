/** What the outbox says of itself, read from its file: `deviations status` is another process. */
import type { DatabaseSync } from 'node:sqlite';
import type { RefusalCode } from '../refusals.ts';
import { createTotals, refusalsIn } from './totals.ts';

export interface OutboxStatus {
  readonly accepted: number;
  readonly refused: Readonly<Partial<Record<RefusalCode, number>>>;
  /** The same call again, with the same content, or with another: an engine that reuses its call ids. */
  readonly repeatedSame: number;
  readonly repeatedOther: number;
  readonly relayed: number;
  /** Attempts of the relay that failed. */
  readonly retried: number;
  readonly setAside: number;
  /** Rows that an operator gave up. */
  readonly discarded: number;
  readonly waiting: number;
  /** Milliseconds since 1970-01-01 UTC; null when nothing waits. */
  readonly oldestWaitingAtMs: number | null;
  /** Of rows that wait or are set aside. */
  readonly bytes: number;
  readonly relay: { readonly state: string; readonly code: string | null; readonly sinceMs: number } | null;
}

/** By the index of those alone. */
const asideCount = (database: DatabaseSync): number =>
  Number(database.prepare('select count(*) as n from waiting where aside_code is not null').get()?.n);

/** How many rows wait for the relay; by the totals, since counting rows means reading them all. */
export const waitingCount = (database: DatabaseSync): number =>
  (createTotals(database).read().get('rows') ?? 0) - asideCount(database);

/** All numbers of one moment: several statements see one snapshot only inside a transaction. */
export const readStatus = (database: DatabaseSync): OutboxStatus => {
  database.exec('begin');
  try {
    return readNow(database);
  } finally {
    database.exec('rollback');
  }
};

const readNow = (database: DatabaseSync): OutboxStatus => {
  const totals = createTotals(database).read();
  const of = (name: string): number => totals.get(name) ?? 0;
  const aside = asideCount(database);
  const oldest = database
    .prepare('select appended_at from waiting where aside_code is null order by seq limit 1')
    .get();
  const relay = database.prepare('select state, code, since from relay').get();
  return {
    accepted: of('accepted'),
    refused: refusalsIn(totals),
    repeatedSame: of('repeatedSame'),
    repeatedOther: of('repeatedOther'),
    relayed: of('relayed'),
    retried: of('retried'),
    discarded: of('discarded'),
    setAside: aside,
    waiting: of('rows') - aside,
    oldestWaitingAtMs: typeof oldest?.appended_at === 'number' ? oldest.appended_at : null,
    bytes: of('bytes'),
    relay:
      relay === undefined
        ? null
        : {
            state: String(relay.state),
            code: typeof relay.code === 'string' ? relay.code : null,
            sinceMs: Number(relay.since),
          },
  };
};
