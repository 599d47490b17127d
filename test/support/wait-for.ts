/** Waiting for something to become true, with a limit, and a failure that says what was waited for. */
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 50;
const DEFAULT_LIMIT_MS = 30_000;

export interface WaitOptions {
  readonly limitMs?: number;
  /** What to add to the failure: the last thing seen, a log. */
  readonly seen?: () => string;
}

/** Answers the first look that is neither undefined nor false. A look that throws ends the waiting. */
export const waitFor = async <T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  { limitMs = DEFAULT_LIMIT_MS, seen }: WaitOptions = {},
): Promise<T> => {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) {
      throw new Error(`waited ${limitMs / 1_000} s for ${what}${seen === undefined ? '' : `\n${seen()}`}`);
    }
    await sleep(LOOK_EVERY_MS);
  }
};
