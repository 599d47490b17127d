/**
 * The runtime under both consumers. On an assignment each partition is claimed in the database, its position read and
 * sought, and only then resumed; what a fetch delivers is admitted against that position. Losing an epoch means leaving
 * the group and coming back later: claiming again at once would let two sinks fence each other for ever.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  backoffMs,
  codeOf,
  type Consumer,
  isStreamError,
  jittered,
  type kafka,
  type Log,
  type SchemaLookup,
  StreamError,
  within,
} from '../../wire/index.ts';
import type { Claim, PartitionKey, Store } from '../store/store.ts';
import { holdUntilDone } from './hold.ts';
import type { Judge } from './judge.ts';
import { createPartitionFlow, type PartitionFlow } from './partition-flow.ts';

export interface StreamParts {
  readonly consumer: Consumer;
  readonly topic: string;
  /** A fresh source for every time the group is joined: a crashed one is not started again. */
  readonly createSource: () => kafka.Source;
  /** First and last offsets of the topic's partitions. */
  readonly ends: () => Promise<readonly kafka.PartitionEnds[]>;
  readonly store: Store;
  readonly lookup: SchemaLookup;
  readonly judge: Judge;
  readonly log: Log;
}

/** How long a stop may take before the process ends all the same, in milliseconds. */
export const STOP_LIMIT_MS = 10_000;
/** Around how long a consumer stays away after it lost an epoch, in milliseconds. */
const REJOIN_MS = 2_000;

/** Where to read on; HALTED when the log does not hold the position. An operator decides, for events may be lost. */
const startOf = (key: PartitionKey, claim: Claim, ends: kafka.PartitionEnds | undefined): kafka.Offset => {
  const where = `${key.topic} partition ${key.partition}`;
  if (ends === undefined) throw new StreamError('TOPIC_MISSING', where, 'Create it: deviations topic create');
  if (claim.position === undefined) return ends.start;
  if (claim.position > ends.end) {
    throw new StreamError(
      'HALTED',
      `${where} ends at offset ${ends.end}, the stored position is ${claim.position}`,
      'The topic was recreated or truncated: find out which records are gone before going on',
    );
  }
  if (claim.position < ends.start) {
    throw new StreamError(
      'HALTED',
      `${where} starts at offset ${ends.start}, the stored position is ${claim.position}`,
      'Retention has deleted records that were never read: find out which before going on',
    );
  }
  return claim.position;
};

const isHalt = (error: unknown): boolean => isStreamError(error) && error.code === 'HALTED';

/** Reads until `stop` is raised; rejects with HALTED when going on would lose events. */
export const runStream = async (parts: StreamParts, stop: AbortSignal): Promise<void> => {
  const { consumer, topic, store, lookup, judge, log } = parts;
  let halted: unknown;
  const ending = new AbortController();
  stop.addEventListener('abort', () => ending.abort(), { once: true });
  if (stop.aborted) ending.abort();

  /** One membership of the group, from joining until it is over. Answers whether it ever got an assignment. */
  const joinOnce = async (): Promise<boolean> => {
    const source = parts.createSource();
    const over = new AbortController();
    const left = AbortSignal.any([over.signal, ending.signal]);
    const flows = new Map<number, PartitionFlow>();
    let assignment = new AbortController();
    let wasAssigned = false;
    let rejoinMs = 0;

    const claimPartition = async (partition: number, held: AbortSignal): Promise<void> => {
      const key = { consumer, topic, partition };
      const claimed = await holdUntilDone(
        async () => {
          const claim = await store.claim(key);
          const ends = (await parts.ends()).find((one) => one.partition === partition);
          return { epoch: claim.epoch, position: startOf(key, claim, ends), storedPosition: claim.position };
        },
        { log, fields: key, signal: held, isFinal: isHalt },
      );
      if (claimed === undefined || held.aborted) return;
      flows.set(
        partition,
        createPartitionFlow({
          ...claimed,
          key,
          source,
          store,
          lookup,
          judge,
          log,
          onEpochLost: () => {
            log.warn('lost the epoch of a partition, rejoins', { ...key, epoch: claimed.epoch });
            rejoinMs = jittered(REJOIN_MS);
            over.abort();
          },
          onPositionMoved: () => {
            log.warn('the stored position has moved, reads it anew', { ...key, epoch: claimed.epoch });
            source.pause(partition);
            flows.delete(partition);
            claim(partition);
          },
        }),
      );
      log.info('claimed a partition', { ...key, epoch: claimed.epoch, offset: String(claimed.position) });
      source.seek(partition, claimed.position);
      source.resume(partition);
    };

    const claim = (partition: number): void => {
      claimPartition(partition, AbortSignal.any([assignment.signal, left])).catch((error: unknown) => {
        halted = error;
        ending.abort();
      });
    };

    const assigned = (partitions: readonly number[]): void => {
      wasAssigned = true;
      assignment.abort();
      assignment = new AbortController();
      for (const flow of flows.values()) flow.abandon();
      flows.clear();
      for (const partition of partitions) claim(partition);
    };

    const admit = (batch: kafka.SourceBatch): void => {
      const flow = flows.get(batch.partition);
      if (flow === undefined) return;
      const key = { consumer, topic, partition: batch.partition };
      if (batch.askedFor > flow.expected) {
        source.seek(batch.partition, flow.expected);
        return;
      }
      if (batch.askedFor < flow.expected) {
        // Nobody sought back: the log itself may have changed. Checked anew, with a claim of its own.
        log.warn('a fetch went back behind the position', { ...key, offset: String(batch.askedFor) });
        source.pause(batch.partition);
        flow.abandon();
        flows.delete(batch.partition);
        claim(batch.partition);
        return;
      }
      flow.take(batch);
    };

    const aborted = new Promise<void>((resolve) => {
      left.addEventListener('abort', () => resolve(), { once: true });
      if (left.aborted) resolve();
    });
    try {
      await Promise.race([
        aborted,
        source.start({
          assigned,
          batch: admit,
          passed: (partition, lastOffset) => flows.get(partition)?.take({ records: [], lastOffset }),
          crashed: (error) => {
            log.warn('left the group after an error, rejoins', { consumer, topic, code: codeOf(error) });
            over.abort();
          },
        }),
      ]);
      log.debug('joined the group', { consumer, topic });
      await aborted;
    } finally {
      await within(
        STOP_LIMIT_MS,
        (async () => {
          await Promise.all([...flows.values()].map((flow) => flow.end()));
          await source.stop();
        })(),
        () => {
          for (const flow of flows.values()) flow.abandon();
          log.warn('did not stop within its limit', { consumer, topic, waitMs: STOP_LIMIT_MS });
        },
      );
    }
    if (rejoinMs > 0) await sleep(rejoinMs, undefined, { signal: ending.signal }).catch(() => {});
    return wasAssigned;
  };

  for (let failures = 0; !ending.signal.aborted; ) {
    try {
      failures = (await joinOnce()) ? 0 : failures + 1;
    } catch (error) {
      failures += 1;
      log.warn('holds', {
        consumer,
        topic,
        code: codeOf(error),
        ...(isStreamError(error) ? { where: error.where, next: error.next } : {}),
      });
    }
    if (!ending.signal.aborted && failures > 0) {
      await sleep(backoffMs(failures, 200, 10_000), undefined, { signal: ending.signal }).catch(() => {});
    }
  }
  if (halted !== undefined) throw halted;
};
