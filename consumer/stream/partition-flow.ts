/**
 * One partition under one claim: a bounded hand-off between fetching and flushing. Slices go through one at a time, each
 * judged and flushed as a whole; a slice that cannot be flushed now is held, never skipped. States: claimed → working
 * (while slices wait) → over (given away, epoch lost, or stopped), from which nothing leads back.
 */
import { kafka, type IdContract, type Log, type SchemaId, type SchemaLookup, within } from '../../wire/index.ts';
import { type Judged, NO_OUTCOMES } from '../outcome.ts';
import type { FlushAnswer, FlushRequest, PartitionKey, Store, Window } from '../store/store.ts';
import { holdUntilDone } from './hold.ts';
import type { Judge } from './judge.ts';
import type { Progress } from './progress.ts';
import { schemaIdsIn } from './read-record.ts';
import { witnessOf } from './witness.ts';

/** Records in one transaction: the knee of the measured curve. */
const FLUSH_RECORDS = 500;
/** Records that may wait for their flush before the partition is paused. */
const HAND_OFF_RECORDS = 4_000;
/** How long a Kafka commit may take before the next one is tried, in milliseconds. */
const COMMIT_LIMIT_MS = 5_000;

interface Waiting {
  readonly records: readonly kafka.SourceRecord[];
  /** The position once all of them are handled. */
  readonly next: kafka.Offset;
}

export interface FlowParts {
  readonly key: PartitionKey;
  readonly epoch: number;
  /** Where to read on. */
  readonly position: kafka.Offset;
  /** What the database has: undefined when the partition was never flushed. */
  readonly storedPosition: kafka.Offset | undefined;
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
  /** Takes an admitted batch: its records from `expected` on. One without records moves the position alone. */
  take(batch: Pick<kafka.SourceBatch, 'records' | 'lastOffset'>): void;
  /** Nothing more is begun. Resolves when the slice in hand is flushed and its offset committed. */
  end(): Promise<void>;
  /** The partition is somebody else's: whatever is in hand is dropped, the epoch keeps it from being written. */
  abandon(): void;
}

const sliceOf = (waiting: Waiting): { readonly now: Waiting; readonly later: Waiting | undefined } => {
  if (waiting.records.length <= FLUSH_RECORDS) return { now: waiting, later: undefined };
  const records = waiting.records.slice(0, FLUSH_RECORDS);
  const last = records.at(-1);
  return {
    now: { records, next: last === undefined ? waiting.next : kafka.after(last.offset) },
    later: { records: waiting.records.slice(FLUSH_RECORDS), next: waiting.next },
  };
};

const requestOf = (
  parts: FlowParts,
  fromOffset: kafka.Offset | undefined,
  slice: Waiting,
  judged: readonly Judged[],
): FlushRequest => {
  const last = slice.records.at(-1);
  return {
    ...parts.key,
    epoch: parts.epoch,
    fromOffset,
    rows: judged.flatMap((one) => (one.kind === 'row' ? [one.row] : [])),
    changes: judged.flatMap((one) => (one.kind === 'graph' ? one.changes : [])),
    projected: judged.filter((one) => one.kind === 'graph').length,
    quarantine: judged.flatMap((one) => (one.kind === 'quarantined' ? [one.pointer] : [])),
    filtered: judged.filter((one) => one.kind === 'filtered').length,
    nextOffset: slice.next,
    witness: last === undefined ? undefined : witnessOf(last),
  };
};

export const createPartitionFlow = (parts: FlowParts): PartitionFlow => {
  const { key, source, store, lookup, judge, progress, log } = parts;
  const place = { consumer: key.consumer, topic: key.topic, partition: key.partition };
  const over = new AbortController();
  const queue: Waiting[] = [];
  let expected = parts.position;
  let stored = parts.storedPosition;
  let isPaused = false;
  let isEnding = false;
  let working: Promise<void> | undefined;
  let committing: Promise<void> | undefined;
  let uncommitted: kafka.Offset | undefined;

  const queued = (): number => queue.reduce((sum, { records }) => sum + records.length, 0);

  const contractsFor = async (records: readonly kafka.SourceRecord[]): Promise<ReadonlyMap<SchemaId, IdContract>> =>
    new Map(
      await Promise.all(
        [...schemaIdsIn(records)].map(
          async (id): Promise<[SchemaId, IdContract]> => [id, lookup.cached(id) ?? (await lookup.contractOf(id))],
        ),
      ),
    );

  const flush = async (slice: Waiting): Promise<FlushAnswer> => {
    const contracts = await contractsFor(slice.records);
    const request = requestOf(
      parts,
      stored,
      slice,
      slice.records.map((record) => judge.judge(record, contracts)),
    );
    const answer = await store.flush(request);
    if (answer.kind === 'flushed') {
      for (const { offset, reason } of request.quarantine) {
        log.warn('quarantined a record', { ...place, offset: String(offset), reason });
        progress.quarantined(reason);
      }
    }
    return answer;
  };

  /** One commit in flight; what comes meanwhile is committed by the next. A hint only: a failure changes nothing. */
  const commitSoon = (): void => {
    if (committing !== undefined || uncommitted === undefined) return;
    const committed = uncommitted;
    uncommitted = undefined;
    committing = within(COMMIT_LIMIT_MS, source.commit(key.partition, committed), () => {})
      .catch(() => {
        log.debug('a commit to the group failed', { ...place, offset: String(committed) });
      })
      .finally(() => {
        committing = undefined;
        if (!over.signal.aborted) commitSoon();
      });
  };

  const work = async (): Promise<void> => {
    for (let head = queue.shift(); head !== undefined; head = isEnding ? undefined : queue.shift()) {
      const { now, later } = sliceOf(head);
      if (later !== undefined) queue.unshift(later);
      const answer = await holdUntilDone(() => flush(now), {
        log,
        fields: place,
        signal: over.signal,
        onHold: (isHolding) => progress.holds(`flush ${key.partition}`, isHolding),
      });
      if (answer === undefined) return;
      // Given away meanwhile: an epoch or a position that has moved is the doing of our own next claim.
      if (over.signal.aborted && answer.kind !== 'flushed') return;
      switch (answer.kind) {
        case 'epoch-lost':
          over.abort();
          parts.onEpochLost();
          return;
        case 'position-moved':
          over.abort();
          parts.onPositionMoved();
          return;
        case 'flushed':
          log.debug('flushed', { ...place, offset: String(now.next), ...answer.counts });
          progress.flushed(key.partition, now.next, answer.counts, now.records.at(-1)?.recordTimeMs);
          parts.onWindow(answer.window);
          break;
        case 'flushed-before':
          log.info('a flush whose answer was lost had been committed', { ...place, offset: String(now.next) });
          // Its counts went with the answer; the table has them.
          progress.flushed(key.partition, now.next, NO_OUTCOMES, now.records.at(-1)?.recordTimeMs);
          break;
        default:
          answer satisfies never;
      }
      stored = now.next;
      uncommitted = now.next;
      commitSoon();
      if (isPaused && !isEnding && !over.signal.aborted && queued() < HAND_OFF_RECORDS / 2) {
        isPaused = false;
        source.resume(key.partition);
      }
    }
  };

  const startWork = (): void => {
    working ??= work().finally(() => {
      working = undefined;
      if (queue.length > 0 && !isEnding && !over.signal.aborted) startWork();
    });
  };

  return {
    get expected() {
      return expected;
    },
    take: (batch) => {
      if (isEnding || over.signal.aborted || batch.lastOffset < expected) return;
      queue.push({
        records: batch.records.filter((record) => record.offset >= expected),
        next: kafka.after(batch.lastOffset),
      });
      expected = kafka.after(batch.lastOffset);
      if (!isPaused && queued() >= HAND_OFF_RECORDS) {
        isPaused = true;
        source.pause(key.partition);
      }
      startWork();
    },
    end: async () => {
      isEnding = true;
      await working;
      await committing;
      commitSoon();
      await committing;
      over.abort();
    },
    abandon: () => {
      over.abort();
      queue.length = 0;
    },
  };
};
