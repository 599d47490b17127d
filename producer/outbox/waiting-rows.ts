/** What the relay does with the rows: take the oldest, drop the acknowledged, set one aside. */
import { type Headers, transaction } from '../../wire/index.ts';
import { BUSY_TIMEOUT_MS } from './limits.ts';
import type { OutboxFile } from './outbox-file.ts';
import { waitingCount } from './status.ts';
import { createTotals } from './totals.ts';

export interface WaitingRow {
  readonly seq: number;
  readonly key: string;
  readonly headers: Headers;
  readonly body: Uint8Array;
  readonly schemaHash: string;
}

export interface WaitingRows {
  /** The oldest that are not set aside, at most `count`; beginning behind `afterSeq`. */
  oldest(count: number, afterSeq: number): readonly WaitingRow[];
  /** How many wait, those set aside not counted. */
  count(): number;
  /** Drops acknowledged rows and counts them as relayed. */
  drop(seqs: readonly number[]): void;
  setAside(seq: number, code: string): void;
  countRetry(): void;
  /** Says in the file what the relay does, for `status`. */
  tell(state: RelayState, code: string | undefined): void;
}

export const RELAY_STATES = ['idle', 'sending', 'holding'] as const;
export type RelayState = (typeof RELAY_STATES)[number];

/** How long the relay waits for another process's transaction, with its rows and with what it only notes, in milliseconds. */
const RELAY_BUSY_MS = 1_000;
const NOTE_BUSY_MS = 100;

export const createWaitingRows = ({ database }: OutboxFile, nowMs: () => number): WaitingRows => {
  const totals = createTotals(database);
  const oldest = database.prepare(
    'select seq, key, headers, body, schema_hash from waiting where aside_code is null and seq > ? order by seq limit ?',
  );
  const weigh = database.prepare(
    'select count(*) as n, total(bytes) as bytes from waiting where seq in (select value from json_each(?))',
  );
  const drop = database.prepare('delete from waiting where seq in (select value from json_each(?))');
  const setAside = database.prepare('update waiting set aside_code = ?, aside_at = ? where seq = ?');
  const tell = database.prepare(
    'insert into relay (one, state, code, since) values (1, ?, ?, ?) on conflict (one) do update set state = excluded.state, code = excluded.code, since = excluded.since',
  );

  /** A report waits for the lock behind these, so they give up sooner than it does; the relay comes again. */
  const waitingAtMost = <T>(limitMs: number, work: () => T): T => {
    database.exec(`pragma busy_timeout = ${limitMs}`);
    try {
      return work();
    } finally {
      database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  };

  /**
   * For what a power cut may undo: the next transaction that syncs the log takes it along. A drop that is undone is sent
   * again, which the event id makes harmless; a word of the relay's state is told anew.
   */
  const withoutSync = <T>(work: () => T): T => {
    database.exec('pragma synchronous = normal');
    try {
      return work();
    } finally {
      database.exec('pragma synchronous = full');
    }
  };

  const dropAll = (seqs: readonly number[]): void => {
    const list = JSON.stringify(seqs);
    const dropped = weigh.get(list);
    drop.run(list);
    totals.add('relayed', Number(dropped?.n));
    totals.add('rows', -Number(dropped?.n));
    totals.add('bytes', -Number(dropped?.bytes));
  };

  return {
    oldest: (most, afterSeq) =>
      oldest.all(afterSeq, most).map(
        (row): WaitingRow => ({
          seq: Number(row.seq),
          key: String(row.key),
          headers: JSON.parse(String(row.headers)) as Headers, // written by the appender
          body: row.body as Uint8Array, // a blob column of a strict table
          schemaHash: String(row.schema_hash),
        }),
      ),
    count: () => waitingCount(database),
    drop: (seqs) => waitingAtMost(RELAY_BUSY_MS, () => withoutSync(() => transaction(database, () => dropAll(seqs)))),
    setAside: (seq, code) => {
      waitingAtMost(RELAY_BUSY_MS, () => setAside.run(code, nowMs(), seq));
    },
    countRetry: () => waitingAtMost(NOTE_BUSY_MS, () => totals.add('retried', 1)),
    tell: (state, code) => {
      waitingAtMost(NOTE_BUSY_MS, () => withoutSync(() => tell.run(state, code ?? null, nowMs())));
    },
  };
};
