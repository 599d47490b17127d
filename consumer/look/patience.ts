/** How a tool waits for what it needs: said once, not for ever unless it follows, and given up at once when it is stopped. */
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, isStreamError } from '../../wire/index.ts';

export interface Pace {
  /** How long a tool waits for a broker or a registry that it has not reached yet, in milliseconds. */
  readonly patienceMs: number;
  /** Between two attempts, in milliseconds. */
  readonly waitMs: number;
}

const PACE: Pace = { patienceMs: 30_000, waitMs: 1_000 };

/** What is missing or refuses is said at once; who does not answer may be on the way up. */
const AWAY: ReadonlySet<string> = new Set(['BROKER_UNREACHABLE', 'REGISTRY_UNREACHABLE']);

export interface Patience {
  readonly signal: AbortSignal;
  /** Goes on for ever, whatever fails outside. */
  readonly isEndless: boolean;
  /** Told the code of what is waited for, once. */
  readonly onWait: (code: string) => void;
  /** A test's own. */
  readonly pace?: Pace;
}

const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });

/** The work's answer; undefined once the signal ends it. Throws the failure that no waiting mends, or the last one. */
export const patiently = async <T>(work: () => Promise<T>, patience: Patience): Promise<T | undefined> => {
  const { signal, isEndless, onWait, pace = PACE } = patience;
  const { patienceMs, waitMs } = pace;
  const sinceMs = performance.now();
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      return await Promise.race([work(), aborted(signal)]);
    } catch (error) {
      if (!isStreamError(error) || !error.retriable) throw error;
      if (!isEndless && (!AWAY.has(error.code) || performance.now() - sinceMs > patienceMs - waitMs)) throw error;
      if (attempt === 0) onWait(codeOf(error));
      await sleep(waitMs, undefined, { signal }).catch(() => {});
    }
  }
  return undefined;
};
