/** Waiting until something outside works again: retried with jitter and a cap, said aloud, never skipped. */
import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs, codeOf, isStreamError, type Log, type LogFields } from '../../wire/index.ts';

/** First wait and the longest one, in milliseconds. */
const WAITS = { firstMs: 200, capMs: 10_000 } as const;

export interface HoldOptions {
  readonly log: Log;
  /** Where the work stands, for the log. */
  readonly fields: LogFields;
  /** Ends the holding: the partition was given away, or the process stops. */
  readonly signal: AbortSignal;
  /** Told when the waiting begins and when it ends. */
  readonly onHold?: (isHolding: boolean) => void;
  /** A failure that no waiting mends is thrown on. */
  readonly isFinal?: (error: unknown) => boolean;
}

/** The work's answer, however long it takes; undefined once the signal ends it. */
export const holdUntilDone = async <T>(work: () => Promise<T>, options: HoldOptions): Promise<T | undefined> => {
  try {
    return await retry(work, options);
  } finally {
    options.onHold?.(false);
  }
};

const retry = async <T>(work: () => Promise<T>, options: HoldOptions): Promise<T | undefined> => {
  const { log, fields, signal } = options;
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      const answer = await work();
      if (attempt > 0) log.info('goes on', fields);
      return answer;
    } catch (error) {
      if (options.isFinal?.(error)) throw error;
      if (signal.aborted) return undefined;
      options.onHold?.(true);
      const waitMs = backoffMs(attempt, WAITS.firstMs, WAITS.capMs);
      log.warn('holds', {
        ...fields,
        waitMs,
        code: codeOf(error),
        ...(isStreamError(error) ? { where: error.where, next: error.next } : {}),
      });
      await sleep(waitMs, undefined, { signal }).catch(() => {});
    }
  }
  return undefined;
};
