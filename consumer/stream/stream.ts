/**
 * The runtime under both consumers: joins the group again and again until it is told to stop, and watches its advance.
 * Losing an epoch means leaving the group and coming back later: claiming again at once would let two sinks fence each
 * other for ever.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs, codeOf, isStreamError, jittered } from '../../wire/index.ts';
import { consumedCount } from '../outcome.ts';
import { joinGroup, type Membership } from './membership.ts';
import type { StreamParts } from './stream-parts.ts';

/** Around how long a consumer stays away after it lost an epoch, in milliseconds. */
const REJOIN_MS = 2_000;
/** First wait and the longest one when the group cannot be joined, in milliseconds. */
const WAITS = { firstMs: 200, capMs: 10_000 } as const;
/** How often the watchdog compares the position with the log and with the database's, in milliseconds. */
const WATCH_MS = 5_000;

/** Reads until `stop` is raised; rejects with HALTED when going on would lose events. */
export const runStream = async (parts: StreamParts, stop: AbortSignal): Promise<void> => {
  const { consumer, topic, progress, log, watchMs = WATCH_MS } = parts;
  const ending = new AbortController();
  const end = (): void => ending.abort();
  stop.addEventListener('abort', end, { once: true });
  if (stop.aborted) end();
  let halted: unknown;
  let membership: Membership | undefined;

  const halt = (error: unknown): void => {
    halted ??= error;
    end();
  };

  const watch = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      await sleep(watchMs, undefined, { signal: ending.signal }).catch(() => {});
      if (ending.signal.aborted) return;
      const ends = await parts.ends().catch(() => []);
      if (ending.signal.aborted) return;
      if (ends.length > 0) progress.sawEnds(ends);
      membership?.check(ends);
      if (!progress.snapshot().shouldRejoin) continue;
      log.error('makes no progress while records wait, rejoins', { consumer, topic });
      membership?.leave();
    }
  };

  const wait = async (waitMs: number): Promise<void> => {
    await sleep(waitMs, undefined, { signal: ending.signal }).catch(() => {});
  };

  // Not waited for at the end: a broker that does not answer must not keep a stop waiting.
  void watch();
  try {
    for (let failures = 0; !ending.signal.aborted; ) {
      const beganMs = performance.now();
      const handledBefore = consumedCount(progress.snapshot().outcomes);
      membership = joinGroup(parts, ending.signal, halt);
      try {
        const how = await membership.ended;
        // One that lasted, or got on with the log, is no failure, whatever ended it: the count starts anew after success.
        const gotOn = consumedCount(progress.snapshot().outcomes) > handledBefore;
        failures = gotOn || performance.now() - beganMs > WAITS.capMs ? 0 : failures + 1;
        progress.holds('group', false);
        if (how === 'stopped') continue;
        const waitMs = how === 'epoch-lost' ? jittered(REJOIN_MS) : backoffMs(failures, WAITS.firstMs, WAITS.capMs);
        log.info('comes back to the group', { consumer, topic, waitMs });
        await wait(waitMs);
      } catch (error) {
        failures += 1;
        progress.holds('group', true);
        const waitMs = backoffMs(failures, WAITS.firstMs, WAITS.capMs);
        log.warn('holds', {
          consumer,
          topic,
          waitMs,
          code: codeOf(error),
          ...(isStreamError(error) ? { where: error.where, next: error.next } : {}),
        });
        await wait(waitMs);
      }
    }
  } finally {
    end();
    stop.removeEventListener('abort', end);
  }
  if (halted !== undefined) throw halted;
};
