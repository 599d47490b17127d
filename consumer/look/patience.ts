/** How a tool waits for what it needs: said once, and not for ever unless it follows. */
import { codeOf, isStreamError, silentLog } from '../../wire/index.ts';
import { holdUntilDone } from '../stream/hold.ts';

/** How long a tool waits for a broker or a registry that it has not reached yet, in milliseconds. */
const PATIENCE_MS = 30_000;

const AWAY: ReadonlySet<string> = new Set(['BROKER_UNREACHABLE', 'REGISTRY_UNREACHABLE']);

export interface Patience {
  readonly signal: AbortSignal;
  /** Goes on for ever once something was reached. */
  readonly isEndless: boolean;
  /** Told the code of what is waited for, once. */
  readonly onWait: (code: string) => void;
}

/** The work's answer; undefined once the signal ends it. Throws the failure that no waiting mends, or the last one. */
export const patiently = <T>(
  work: () => Promise<T>,
  { signal, isEndless, onWait }: Patience,
): Promise<T | undefined> => {
  const sinceMs = performance.now();
  let isSaid = false;
  return holdUntilDone(work, {
    log: silentLog,
    fields: {},
    signal,
    isFinal: (error) => {
      if (!isStreamError(error) || !error.retriable) return true;
      // What is missing or refuses is said at once; who does not answer may be on the way up.
      if (!isEndless && (!AWAY.has(error.code) || performance.now() - sinceMs > PATIENCE_MS)) return true;
      if (!isSaid) onWait(codeOf(error));
      isSaid = true;
      return false;
    },
  });
};
