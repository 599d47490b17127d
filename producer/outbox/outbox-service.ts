/**
 * The outbox and its relay as one thing: opens the file, keeps it open, opens it again after a failure, and starts a relay
 * on whatever file is open. Runs inside the worker thread; every call may wait for the disk.
 */
import type { Log } from '../../wire/index.ts';
import type { Relay } from '../relay/relay.ts';
import type { StorableSubmission } from '../submission.ts';
import { type Appended, type Appender, createAppender } from './append.ts';
import { BUSY_TIMEOUT_MS, type OutboxLimits } from './limits.ts';
import { type Held, tryExclusive } from './lock-file.ts';
import { type OutboxFile, openOutboxFile } from './outbox-file.ts';
import { type OutboxProblem, PROBLEM_NEXT, problemOf } from './problem.ts';
import { type OutboxStatus, readStatus } from './status.ts';
import type { TotalName } from './totals.ts';
import { createWaitingRows, type WaitingRows } from './waiting-rows.ts';

export type AppendAnswer = Appended | { readonly kept: false; readonly code: 'OUTBOX_UNAVAILABLE' };

export interface ServiceReport {
  /** Undefined while the file cannot be read. */
  readonly status: OutboxStatus | undefined;
  readonly problem: OutboxProblem | undefined;
}

export interface OutboxServiceParts {
  readonly file: string;
  readonly limits: OutboxLimits;
  readonly nowMs: () => number;
  readonly log: Log;
  readonly onProblem: (problem: OutboxProblem | undefined) => void;
  readonly startRelay: (rows: WaitingRows, tryLease: () => Held | undefined) => Relay;
}

export interface OutboxService {
  append(submissions: readonly StorableSubmission[], refusals: ReadonlyMap<TotalName, number>): readonly AppendAnswer[];
  report(): ServiceReport;
  /** How many wait for the relay; undefined while the file cannot be read. */
  waiting(): number | undefined;
  close(): Promise<void>;
}

/** How soon a file that could not be opened is tried again, in milliseconds. */
const REOPEN_AFTER_MS = 500;

interface Open {
  readonly outbox: OutboxFile;
  readonly appender: Appender;
  readonly rows: WaitingRows;
  readonly relay: Relay;
  /** Writes a page, to see whether it can be. */
  readonly tryToWrite: () => void;
}

export const createOutboxService = (parts: OutboxServiceParts): OutboxService => {
  const { file, limits, nowMs, log } = parts;
  let open: Open | undefined;
  let problem: OutboxProblem | undefined;
  let isSuspect = false;
  let isClosed = false;
  let reopening: NodeJS.Timeout | undefined;
  let closing: Promise<void> = Promise.resolve();
  /** Refusals that could not be counted in the file yet. */
  const uncounted = new Map<TotalName, number>();

  const become = (now: OutboxProblem | undefined): void => {
    if (now === problem) return;
    problem = now;
    if (now === undefined) log.info('the outbox is available again');
    else log.error('the outbox is not available', { code: now, next: PROBLEM_NEXT[now] });
    parts.onProblem(now);
  };

  const raise = (error: unknown): void => {
    const now = problemOf(error);
    if (now === 'OUTBOX_CORRUPT') isSuspect = true;
    become(now);
  };

  const recovered = (): void => become(undefined);

  /** A failed file is let go: the relay ends by itself, its lease and the file are free once it has. */
  const letGo = (): void => {
    const old = open;
    open = undefined;
    if (old === undefined) return;
    closing = closing.then(async () => {
      await old.relay.stop();
      old.outbox.close();
    });
  };

  /** Nobody may ask for a long time, and rows wait for the relay. */
  const reopenLater = (): void => {
    if (isClosed) return;
    reopening ??= setTimeout(() => {
      reopening = undefined;
      opened();
    }, REOPEN_AFTER_MS);
  };

  /** Another process may hold the lock, and a full disk empties: the file itself is fine then. */
  const failed = (error: unknown): void => {
    raise(error);
    if (problem !== 'OUTBOX_CORRUPT' && problem !== 'OUTBOX_IO') return;
    letGo();
    reopenLater();
  };

  /** The relay's own failures are the operator's business too. A read proves nothing about a full disk. */
  const watched = (rows: WaitingRows): WaitingRows => {
    const reading = <A extends readonly unknown[], T>(work: (...given: A) => T) => {
      return (...given: A): T => {
        try {
          return work(...given);
        } catch (error) {
          failed(error);
          throw error;
        }
      };
    };
    const writing = <A extends readonly unknown[]>(work: (...given: A) => void) => {
      const guarded = reading(work);
      return (...given: A): void => {
        guarded(...given);
        recovered();
      };
    };
    return {
      oldest: reading(rows.oldest),
      count: reading(rows.count),
      drop: writing(rows.drop),
      setAside: writing(rows.setAside),
      countRetry: writing(rows.countRetry),
      tell: writing(rows.tell),
    };
  };

  const openNow = (): Open => {
    const outbox = openOutboxFile(file, { isSuspect, maxBytes: limits.maxBytes });
    try {
      if (outbox.setAside !== undefined) {
        log.error('a corrupt outbox was set aside whole, its bytes are kept', {
          code: 'OUTBOX_CORRUPT',
          where: outbox.setAside,
          next: 'Keep that file: rows that were not sent may be recovered from it',
        });
      }
      const rows = watched(createWaitingRows(outbox, nowMs));
      const appender = createAppender(outbox, limits, nowMs);
      const { database } = outbox;
      // Its value must differ, else SQLite writes nothing.
      const write = database.prepare(
        "insert into totals (name, value) values ('tried', 1) on conflict (name) do update set value = 1 - value",
      );
      const tryToWrite = (): void => {
        database.exec('pragma busy_timeout = 0');
        try {
          write.run();
        } finally {
          database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
        }
      };
      const relay = parts.startRelay(rows, () => tryExclusive(`${file}-relay`));
      return { outbox, appender, rows, relay, tryToWrite };
    } catch (error) {
      outbox.close();
      throw error;
    }
  };

  const opened = (): Open | undefined => {
    if (open !== undefined || reopening !== undefined || isClosed) return open;
    try {
      open = openNow();
      isSuspect = false;
      recovered();
    } catch (error) {
      raise(error);
      reopenLater();
    }
    return open;
  };

  const using = <T>(work: (now: Open) => T): T | undefined => {
    const now = opened();
    if (now === undefined) return undefined;
    try {
      return work(now);
    } catch (error) {
      failed(error);
      return undefined;
    }
  };

  opened();
  return {
    append: (submissions, refusals) => {
      for (const [name, count] of refusals) uncounted.set(name, (uncounted.get(name) ?? 0) + count);
      const answers = using(({ appender, relay }) => {
        const appended = appender.append(submissions, uncounted);
        uncounted.clear();
        recovered();
        relay.wake();
        return appended;
      });
      return answers ?? submissions.map((): AppendAnswer => ({ kept: false, code: 'OUTBOX_UNAVAILABLE' }));
    },
    report: () => {
      // Whoever asks after a failure wants to know whether it lasts, and maybe nobody writes.
      if (problem !== undefined) {
        using(({ tryToWrite }) => {
          tryToWrite();
          recovered();
        });
      }
      return { status: using(({ outbox }) => readStatus(outbox.database)), problem };
    },
    waiting: () => using(({ rows }) => rows.count()),
    close: async () => {
      isClosed = true;
      clearTimeout(reopening);
      letGo();
      await closing;
    },
  };
};
