/** Every long wait has a limit. */
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The promise's outcome, or what `onExpiry` makes once `limitMs` is over. The work itself is not stopped: a late answer
 * is dropped, and so is a late error.
 */
export const within = async <T>(limitMs: number, work: Promise<T>, onExpiry: () => T | Promise<T>): Promise<T> => {
  work.catch(() => {});
  const expired = Symbol('expired');
  const clock = new AbortController();
  const timer = sleep(limitMs, expired, { signal: clock.signal }).catch(() => expired);
  try {
    const first = await Promise.race([work, timer]);
    return first === expired ? await onExpiry() : (first as T); // a unique symbol, so anything else is the work's
  } finally {
    clock.abort();
  }
};

/** Somewhere between half and one and a half of `meanMs`, so that those who failed together do not return together. */
export const jittered = (meanMs: number): number => Math.round(meanMs * (0.5 + Math.random()));

/** Doubles from `firstMs` up to `capMs` with every failed attempt (`attempt` counts from 0), with jitter. */
export const backoffMs = (attempt: number, firstMs: number, capMs: number): number =>
  jittered(Math.min(capMs, firstMs * 2 ** Math.min(attempt, 30)));

/** At most so many works at once; the others wait in line, in order. The line is as long as its callers make it. */
export const atMost = (limit: number): (<T>(work: () => Promise<T>) => Promise<T>) => {
  let free = limit;
  const line: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => line.push(resolve));
    try {
      return await work();
    } finally {
      const next = line.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
};
