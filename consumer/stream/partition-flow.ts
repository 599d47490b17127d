/**
 * One partition under one claim: a bounded hand-off between fetching and flushing. Slices go through one at a time, each
 * judged and flushed as a whole; a slice that cannot be flushed now is held, never skipped. States: claimed → working
 * (while slices wait) → over (given away, epoch lost, or stopped), from which nothing leads back.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { kafka, type Log, type SchemaLookup, within } from '../../wire/index.ts';
import { NO_OUTCOMES } from '../outcome.ts';
import type { FlushAnswer, FlushRequest, PartitionKey, Store, Window, Witness } from '../store/store.ts';
import { contractsFor } from './contracts.ts';
import { createHandOff, type Slice } from './hand-off.ts';
import { holdUntilDone } from './hold.ts';
import type { Judge } from './judge.ts';
import { type Judgement, judgement, NOTHING_JUDGED } from './judgement.ts';
import type { Progress } from './progress.ts';
import { isPassedOver } from './read-record.ts';
import { witnessOf } from './witness.ts';

/**
 * How long a fetch's batch may wait for room before the partition is paused, in milliseconds. The client fetches nothing
 * meanwhile; paused, it would sleep for its whole fetch wait before it looks again, which a log caught up with feels.
 */
const ROOM_LIMIT_MS = 500;
/**
 * How long the position may wait for more to write with it, in milliseconds, when all that came was passed over: a flush of
 * it alone costs as much as one of rows.
 */
const PASSED_OVER_WAIT_MS = 200;
/** How long a Kafka commit may take before the next one is tried, in milliseconds. */
const COMMIT_LIMIT_MS = 5_000;
/** How soon another Kafka commit comes: one for each small flush would keep the broker busier than the records do. */
const COMMIT_EVERY_MS = 500;

export interface FlowParts {
  readonly key: PartitionKey;
  readonly epoch: number;
  /** Where to read on. */
  readonly position: kafka.Offset;
  /** What the database has: undefined when the partition was never flushed. */
  readonly storedPosition: kafka.Offset | undefined;
  /** What the log is recognised by; undefined when nothing of it is left there. */
  readonly witness: Witness | undefined;
  readonly source: kafka.Source;
  readonly store: Pick<Store, 'flush'>;
  readonly lookup: SchemaLookup;
  readonly judge: Judge;
  readonly progress: Progress;
  readonly log: Log;
  readonly onEpochLost: () => void;
  /** The database's position is another one: to be read and sought anew. */
  readonly onPositionMoved: () => void;
  /** Told how many of the last records were wrong. */
  readonly onWindow: (window: Window) => void;
}

export interface PartitionFlow {
  /** The offset that the next fetch must ask for. */
  readonly expected: kafka.Offset;
  /** The record to recognise the log by, once others were flushed behind it. */
  readonly unproven: Witness | undefined;
  /** The log has been recognised: it is the one that all records so far came from. */
  recognised(): void;
  /**
   * Takes an admitted batch: its records from `expected` on. One without records moves the position alone. Resolves when
   * there is room for another, or the partition is paused for want of it.
   */
  take(batch: Pick<kafka.SourceBatch, 'records' | 'lastOffset'>): Promise<void>;
  /**
   * Asks whether the database still stands where this flow left it, when nothing is in hand: one that was restored to an
   * older state is noticed by the next flush, which a quiet partition would wait for.
   */
  check(): void;
  /** Nothing more is begun. Resolves when the slice in hand is flushed and its offset committed. */
  end(): Promise<void>;
  /** The partition is somebody else's: whatever is in hand is dropped, the epoch keeps it from being written. */
  abandon(): void;
}

const lastOf = ({ last }: Slice): Witness | undefined => (last === undefined ? undefined : witnessOf(last));

const nothingUpTo = (next: kafka.Offset): Slice => ({ records: [], filtered: 0, last: undefined, next });

const requestOf = (
  parts: FlowParts,
  fromOffset: kafka.Offset | undefined,
  slice: Slice,
  judged: Judgement,
  witness: Witness | undefined,
): FlushRequest => ({
  ...parts.key,
  epoch: parts.epoch,
  fromOffset,
  rows: judged.rows,
  // Not copied: to ask for them is to judge.
  get changes() {
    return judged.changes;
  },
  get projected() {
    return judged.projected;
  },
  get quarantine() {
    return judged.quarantine;
  },
  get filtered() {
    return slice.filtered + judged.filtered;
  },
  nextOffset: slice.next,
  witness,
});

/** A fetch that asked further back, for the witness, brings what is known. */
const fromOn = (from: kafka.Offset, records: readonly kafka.SourceRecord[]): readonly kafka.SourceRecord[] => {
  const [first] = records;
  return first === undefined || first.offset >= from ? records : records.filter(({ offset }) => offset >= from);
};

export const createPartitionFlow = (parts: FlowParts): PartitionFlow => {
  const { key, source, store, lookup, judge, progress, log } = parts;
  const place = { consumer: key.consumer, topic: key.topic, partition: key.partition };
  const over = new AbortController();
  const ending = new AbortController();
  /** What fails now is not tried again: an end does not wait for what is outside. */
  const noMore = AbortSignal.any([over.signal, ending.signal]);
  const waiting = createHandOff((record) => isPassedOver(record, judge.takes, lookup.cached));
  let expected = parts.position;
  let stored = parts.storedPosition;
  /**
   * Moves on only when the log has been recognised by it: a topic that is made anew and filled past the position before
   * the client looks again would otherwise be recognised by a record of its own.
   */
  let { witness } = parts;
  let latest: Witness | undefined;
  let isPaused = false;
  let isEnding = false;
  let working: Promise<void> | undefined;
  let committing: Promise<void> | undefined;
  let uncommitted: kafka.Offset | undefined;
  let tellRoom: (() => void) | undefined;
  /** Until what was passed over is worth a flush. */
  let passing: NodeJS.Timeout | undefined;

  const hasRoom = (): boolean => !waiting.isFull;

  const room = async (): Promise<void> => {
    if (hasRoom()) return;
    const told = new Promise<void>((resolve) => {
      tellRoom = resolve;
    });
    await within(ROOM_LIMIT_MS, told, () => {
      // With room again nothing would ever resume it.
      if (hasRoom() || isEnding || over.signal.aborted) return;
      isPaused = true;
      source.pause(key.partition);
    });
  };

  const flush = async (slice: Slice): Promise<FlushAnswer> => {
    const contracts = await contractsFor(lookup, slice.records);
    const judged = judgement(judge, slice.records, contracts);
    const request = requestOf(parts, stored, slice, judged, witness ?? lastOf(slice));
    const answer = await store.flush(request);
    if (answer.kind === 'flushed') {
      for (const { offset, reason } of answer.setAside) {
        log.warn('quarantined a record', { ...place, offset: String(offset), reason });
        progress.quarantined(reason);
      }
    }
    return answer;
  };

  /** One commit at a time; what comes meanwhile is committed by the next. A hint only: a failure changes nothing. */
  const commitSoon = (): void => {
    if (committing !== undefined || uncommitted === undefined) return;
    const committed = uncommitted;
    uncommitted = undefined;
    committing = within(COMMIT_LIMIT_MS, source.commit(key.partition, committed), () => {})
      .catch(() => {
        log.debug('a commit to the group failed', { ...place, offset: String(committed) });
      })
      .then(() => sleep(COMMIT_EVERY_MS, undefined, { signal: noMore }))
      .catch(() => {})
      .finally(() => {
        committing = undefined;
        if (!over.signal.aborted) commitSoon();
      });
  };

  const endBy = (refusal: 'epoch-lost' | 'position-moved'): void => {
    over.abort();
    if (refusal === 'epoch-lost') parts.onEpochLost();
    else parts.onPositionMoved();
  };

  const checkStanding = async (position: kafka.Offset): Promise<void> => {
    const request = requestOf(parts, position, nothingUpTo(position), NOTHING_JUDGED, undefined);
    // It leads nowhere, so it writes nothing: it has been flushed before, or something has moved.
    const answer = await store.flush(request).catch(() => undefined);
    if (over.signal.aborted || answer === undefined) return;
    if (answer.kind === 'epoch-lost' || answer.kind === 'position-moved') endBy(answer.kind);
  };

  const work = async (): Promise<void> => {
    const more = (): Slice | undefined => (isEnding || !waiting.hasRecords ? undefined : waiting.take());
    for (let now = waiting.take(); now !== undefined; now = more()) {
      const slice = now;
      if (hasRoom()) tellRoom?.();
      const answer = await holdUntilDone(() => flush(slice), {
        log,
        fields: place,
        signal: noMore,
        onHold: (isHolding) => progress.holds(`flush ${key.partition}`, isHolding),
      });
      if (answer === undefined) return;
      // Given away meanwhile: an epoch or a position that has moved is the doing of our own next claim.
      if (over.signal.aborted && answer.kind !== 'flushed') return;
      switch (answer.kind) {
        case 'epoch-lost':
        case 'position-moved':
          endBy(answer.kind);
          return;
        case 'flushed':
          log.debug('flushed', { ...place, offset: String(now.next), ...answer.counts });
          progress.flushed(key.partition, now.next, answer.counts, now.last?.recordTimeMs);
          parts.onWindow(answer.window);
          break;
        case 'flushed-before':
          log.info('a flush whose answer was lost had been committed', { ...place, offset: String(now.next) });
          // Its counts went with the answer; the table has them.
          progress.flushed(key.partition, now.next, NO_OUTCOMES, now.last?.recordTimeMs);
          break;
        default:
          answer satisfies never;
      }
      stored = now.next;
      latest = lastOf(now) ?? latest;
      witness ??= latest;
      uncommitted = now.next;
      commitSoon();
      if (isPaused && !isEnding && !over.signal.aborted && hasRoom()) {
        isPaused = false;
        source.resume(key.partition);
      }
    }
  };

  /** One thing at a time; records that came meanwhile are next. */
  const start = (what: () => Promise<void>): void => {
    working ??= what().finally(() => {
      working = undefined;
      workOn();
    });
  };

  const workOn = (): void => {
    if (isEnding || over.signal.aborted || !waiting.hasAny) return;
    if (waiting.hasRecords) {
      start(work);
      return;
    }
    passing ??= setTimeout(() => {
      passing = undefined;
      if (!isEnding && !over.signal.aborted) start(work);
    }, PASSED_OVER_WAIT_MS);
  };

  return {
    get expected() {
      return expected;
    },
    get unproven() {
      return witness === latest || latest === undefined ? undefined : witness;
    },
    recognised: () => {
      witness = latest ?? witness;
    },
    take: async (batch) => {
      if (isEnding || over.signal.aborted || batch.lastOffset < expected) return;
      const next = kafka.after(batch.lastOffset);
      waiting.add(fromOn(expected, batch.records), next);
      expected = next;
      workOn();
      await room();
    },
    check: () => {
      const position = stored;
      if (position === undefined || isEnding || over.signal.aborted) return;
      start(() => checkStanding(position));
    },
    end: async () => {
      isEnding = true;
      clearTimeout(passing);
      ending.abort();
      tellRoom?.();
      await working;
      await committing;
      commitSoon();
      await committing;
      over.abort();
    },
    abandon: () => {
      over.abort();
      clearTimeout(passing);
      waiting.clear();
      tellRoom?.();
    },
  };
};
