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

export const readStatus = (database: DatabaseSync): OutboxStatus => {
  const totals = createTotals(database).read();
  const of = (name: string): number => totals.get(name) ?? 0;
  const waiting = database
    .prepare(
      'select count(*) filter (where aside_code is null) as waiting, count(aside_code) as aside, min(appended_at) filter (where aside_code is null) as oldest from waiting',
    )
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
    setAside: Number(waiting?.aside ?? 0),
    waiting: Number(waiting?.waiting ?? 0),
    oldestWaitingAtMs: typeof waiting?.oldest === 'number' ? waiting.oldest : null,
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
