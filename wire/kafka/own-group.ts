/**
 * Membership of a group that is one tool's alone, joined anew under another name whenever the client gives up: the old
 * name would have to wait until the broker forgets its lost member. Nothing is committed, and the groups are removed.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, isStreamError } from '../errors.ts';
import { backoffMs, within } from '../limit.ts';
import type { Log } from '../log.ts';
import { TOOLS_GROUP_PREFIX } from '../names.ts';
import { openCluster } from './admin.ts';
import type { KafkaSettings } from './client.ts';
import { createSource, type Source, type SourceHandlers } from './source.ts';

export interface OwnGroupSettings {
  readonly kafka: KafkaSettings;
  readonly topic: string;
  readonly log: Log;
}

export interface OwnGroupHandlers extends Omit<SourceHandlers, 'crashed'> {
  /** The client gave up; joined again unless this answers true, and then the error is thrown. */
  lost(code: string): boolean;
}

export interface OwnGroup extends Pick<Source, 'pause' | 'resume' | 'seek'> {
  /** Resolves after the signal, once the group is left and removed. */
  keepJoined(handlers: OwnGroupHandlers, stopped: AbortSignal): Promise<void>;
}

/** First wait and the longest one between two attempts to join, in milliseconds. */
const WAITS = { firstMs: 200, capMs: 3_000 } as const;
/** Without a heartbeat for so long the broker forgets a tool that was killed; brokers allow no less than 6 s. */
const SESSION_TIMEOUT_MS = 10_000;
/** How soon a partition that was added is read too, in milliseconds. */
const METADATA_MAX_AGE_MS = 2_000;
/** Short, for a tool is to end at once, in milliseconds. */
const FETCH_WAIT_MS = 100;
/** How long removing the groups may take, in milliseconds. */
const REMOVE_LIMIT_MS = 1_500;
/** How long leaving a group may take, in milliseconds: a tool is to end at once, also when the broker is away. */
const LEAVE_LIMIT_MS = 4_000;

export const createOwnGroup = ({ kafka, topic, log }: OwnGroupSettings): OwnGroup => {
  const groups: string[] = [];
  let source: Source | undefined;

  /** Until the signal; rejects when the client gives up. */
  const joinOnce = async (handlers: OwnGroupHandlers, stopped: AbortSignal): Promise<void> => {
    const group = `${TOOLS_GROUP_PREFIX}${randomUUID()}`;
    groups.push(group);
    const mine = createSource(
      {
        kafka,
        topic,
        group,
        consumer: 'tools',
        sessionTimeoutMs: SESSION_TIMEOUT_MS,
        metadataMaxAgeMs: METADATA_MAX_AGE_MS,
        fetchWaitMs: FETCH_WAIT_MS,
      },
      log,
    );
    source = mine;
    try {
      await new Promise<void>((resolve, reject) => {
        stopped.addEventListener('abort', () => resolve(), { once: true });
        if (stopped.aborted) resolve();
        else mine.start({ ...handlers, crashed: reject }).catch(reject);
      });
    } finally {
      await within(LEAVE_LIMIT_MS, mine.stop(), () => {});
    }
  };

  /** Best effort: one whose member the broker still waits for is refused, and goes away by itself. */
  const remove = async (): Promise<void> => {
    const cluster = await openCluster(kafka, log).catch(() => undefined);
    if (cluster === undefined) return;
    for (const group of groups) await cluster.deleteGroup(group).catch(() => {});
    await cluster.close();
  };

  const keepJoined = async (handlers: OwnGroupHandlers, stopped: AbortSignal): Promise<void> => {
    for (let attempt = 0; !stopped.aborted; attempt += 1) {
      const joinedAtMs = performance.now();
      try {
        await joinOnce(handlers, stopped);
      } catch (error) {
        if (stopped.aborted) return;
        const isFinal = isStreamError(error) && !error.retriable;
        if (handlers.lost(codeOf(error)) || isFinal) throw error;
        if (performance.now() - joinedAtMs > WAITS.capMs) attempt = 0;
        await sleep(backoffMs(attempt, WAITS.firstMs, WAITS.capMs), undefined, { signal: stopped }).catch(() => {});
      }
    }
  };

  return {
    pause: (partition) => source?.pause(partition),
    resume: (partition) => source?.resume(partition),
    seek: (partition, to) => source?.seek(partition, to),
    keepJoined: async (handlers, stopped) => {
      try {
        await keepJoined(handlers, stopped);
      } finally {
        await within(REMOVE_LIMIT_MS, remove(), () => {});
      }
    },
  };
};
