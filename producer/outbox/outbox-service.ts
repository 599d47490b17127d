/**
 * The outbox and its relay as one thing: opens the file, keeps it open, opens it again after a failure, and starts a relay
 * on whatever file is open. Runs inside the worker thread; every call may wait for the disk.
 */
import type { Log } from '../../wire/index.ts';
import type { Relay } from '../relay/relay.ts';
import type { Submission } from '../submission.ts';
import { type Appended, type Appender, createAppender } from './append.ts';
import type { OutboxLimits } from './limits.ts';
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
  readonly startRelay: (rows: WaitingRows, tryLease: () => Held | undefined) => Relay;
}

export interface OutboxService {
  append(submissions: readonly Submission[], refusals: ReadonlyMap<TotalName, number>): readonly AppendAnswer[];
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
}

export const createOutboxService = (parts: OutboxServiceParts): OutboxService => {
  const { file, limits, nowMs, log } = parts;
  let open: Open | undefined;
  let problem: OutboxProblem | undefined;
  let isSuspect = false;
  let nextTryMs = 0;
  let closing: Promise<void> = Promise.resolve();

  const raise = (error: unknown): void => {
    const now = problemOf(error);
    if (now === 'OUTBOX_CORRUPT') isSuspect = true;
    if (now !== problem) log.error('the outbox is not available', { code: now, next: PROBLEM_NEXT[now] });
    problem = now;
    nextTryMs = performance.now() + REOPEN_AFTER_MS;
  };

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

  const opened = (): Open | undefined => {
    if (open !== undefined) return open;
    if (performance.now() < nextTryMs) return undefined;
    try {
      const outbox = openOutboxFile(file, isSuspect);
      isSuspect = false;
      if (outbox.setAside !== undefined) {
        log.error('a corrupt outbox was set aside whole, its bytes are kept', {
          code: 'OUTBOX_CORRUPT',
          where: outbox.setAside,
          next: 'Keep that file: rows that were not sent may be recovered from it',
        });
      }
      const rows = createWaitingRows(outbox, nowMs);
      open = {
        outbox,
        appender: createAppender(outbox, limits, nowMs),
        rows,
        relay: parts.startRelay(rows, () => tryExclusive(`${file}-relay`)),
      };
      if (problem !== undefined) log.info('the outbox is available again');
      problem = undefined;
      return open;
    } catch (error) {
      raise(error);
      return undefined;
    }
  };

  const using = <T>(work: (now: Open) => T): T | undefined => {
    const now = opened();
    if (now === undefined) return undefined;
    try {
      const answer = work(now);
      problem = undefined;
      return answer;
    } catch (error) {
      raise(error);
      // Another process may hold the lock, and a full disk empties: the file itself is fine then.
      if (problem === 'OUTBOX_CORRUPT' || problem === 'OUTBOX_IO') letGo();
      return undefined;
    }
  };

  opened();
  return {
    append: (submissions, refusals) => {
      const answers = using(({ appender, relay }) => {
        const appended = appender.append(submissions, refusals);
        relay.wake();
        return appended;
      });
      return answers ?? submissions.map((): AppendAnswer => ({ kept: false, code: 'OUTBOX_UNAVAILABLE' }));
    },
    report: () => ({ status: using(({ outbox }) => readStatus(outbox.database)), problem }),
    waiting: () => using(({ rows }) => rows.count()),
    close: async () => {
      letGo();
      await closing;
    },
  };
};
