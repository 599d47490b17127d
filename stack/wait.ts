import { setTimeout as pause } from 'node:timers/promises';

const EVERY_MS = 100;

/** Asks again and again until it is true; resolves to false when the limit has passed. Rejects when aborted. */
export const waitUntil = async (
  limitMs: number,
  signal: AbortSignal | undefined,
  isTrue: () => Promise<boolean> | boolean,
): Promise<boolean> => {
  const deadlineMs = performance.now() + limitMs;
  for (;;) {
    signal?.throwIfAborted();
    if (await isTrue()) return true;
    if (performance.now() >= deadlineMs) return false;
    // Cut short when aborted; the next round then rejects with the signal's own reason.
    await pause(EVERY_MS, undefined, signal ? { signal } : {}).catch(() => {});
  }
};
