/**
 * The topic as a tool reads it: from given offsets to given ends, or on and on. kafkajs cannot read without a group, so
 * each reading has one of its own. Where it stands is kept here and nowhere else, so that a broker that comes back finds
 * the reading going on where it was.
 */
import { StreamError } from '../errors.ts';
import { after, type Offset, offset } from './offset.ts';
import { createOwnGroup, type OwnGroupSettings } from './own-group.ts';
import type { SourceRecord } from './source-record.ts';

export interface TopicReading extends OwnGroupSettings {
  /** Where to begin. A partition that is not named is read from its start when the reading follows, else not at all. */
  readonly from: ReadonlyMap<number, Offset>;
  /** Where each partition ends, exclusive; the reading is over once all are reached. Without it, it follows. */
  readonly until?: ReadonlyMap<number, Offset>;
  /** Ends the reading early, without an error. */
  readonly signal: AbortSignal;
  readonly onNews?: (news: ReadingNews) => void;
}

/** What a person who watches should hear of. */
export type ReadingNews =
  | { readonly what: 'interrupted'; readonly code: string }
  | { readonly what: 'resumed' }
  /** A partition that was added to the topic is read too. */
  | { readonly what: 'added'; readonly partition: number };

export interface ReadPart {
  readonly partition: number;
  /** Where the reading stood in this partition. */
  readonly expected: Offset;
  /** Where the log had it go on: above `expected` when retention took what lay between, below when the topic was made anew. */
  readonly askedFor: Offset;
  /** Empty when nothing but markers or compacted records lay there. */
  readonly records: readonly SourceRecord[];
  /** Where the next part begins. */
  readonly next: Offset;
}

/** How long the broker may be silent before a reading gives up: at its start, and anywhere before given ends. */
const PATIENCE_MS = 30_000;
const WATCH_MS = 1_000;
/** Records that may wait to be taken before fetching pauses. */
const MAX_WAITING_RECORDS = 10_000;

/** Ends by itself at the given ends or at the signal; throws a StreamError when the broker is away for too long. */
export async function* readTopic(reading: TopicReading): AsyncGenerator<ReadPart, void, undefined> {
  const { topic, until, signal } = reading;
  const next = new Map(reading.from);
  const waiting: ReadPart[] = [];
  let waitingRecords = 0;
  let isPaused = false;
  let wasJoined = false;
  let isInterrupted = false;
  let lastSignMs = performance.now();
  let failure: unknown;
  let wake = (): void => {};
  const group = createOwnGroup(reading);

  const at = (partition: number): Offset => next.get(partition) ?? offset(0);
  const isWanted = (partition: number): boolean => {
    if (until === undefined) return true;
    const end = until.get(partition);
    return end !== undefined && at(partition) < end;
  };
  const wanted = (): readonly number[] => [...next.keys()].filter(isWanted);
  const isDone = (): boolean => until !== undefined && wanted().length === 0;

  const fail = (error: unknown): void => {
    failure ??= error;
    wake();
  };

  const assigned = (partitions: readonly number[]): void => {
    lastSignMs = performance.now();
    if (isInterrupted) reading.onNews?.({ what: 'resumed' });
    isInterrupted = false;
    for (const partition of partitions) {
      if (until === undefined && !next.has(partition)) {
        next.set(partition, offset(0));
        if (wasJoined) reading.onNews?.({ what: 'added', partition });
      }
      if (!isWanted(partition)) continue;
      group.seek(partition, at(partition));
      if (!isPaused) group.resume(partition);
    }
    wasJoined = true;
  };

  const take = (part: ReadPart): void => {
    const { partition } = part;
    if (!isWanted(partition)) return;
    lastSignMs = performance.now();
    const end = until?.get(partition);
    const records = end === undefined ? part.records : part.records.filter((record) => record.offset < end);
    next.set(partition, part.next);
    waiting.push({ ...part, records });
    waitingRecords += records.length;
    if (!isWanted(partition)) group.pause(partition);
    if (!isPaused && waitingRecords > MAX_WAITING_RECORDS) {
      isPaused = true;
      for (const one of wanted()) group.pause(one);
    }
    wake();
  };

  const lost = (code: string): boolean => {
    if (wasJoined && !isInterrupted) {
      isInterrupted = true;
      reading.onNews?.({ what: 'interrupted', code });
    }
    return (until !== undefined || !wasJoined) && performance.now() - lastSignMs > PATIENCE_MS;
  };

  /** A log whose rest does not come though the broker is there: every long wait has a limit. */
  const watch = (): void => {
    if (until === undefined || !wasJoined || isPaused || performance.now() - lastSignMs < PATIENCE_MS) return;
    const places = wanted().map((partition) => `partition ${partition} from offset ${at(partition)}`);
    fail(
      new StreamError(
        'BROKER_REFUSED',
        `topic ${topic}, ${places.join(', ')}: nothing came for ${PATIENCE_MS / 1_000} s`,
        'Look at the broker, then run it again',
      ),
    );
  };

  /** The next part, once there is one; undefined when the reading is over. */
  const nextPart = async (): Promise<ReadPart | undefined> => {
    for (;;) {
      const part = waiting.shift();
      if (part !== undefined) return part;
      if (signal.aborted || isDone()) return undefined;
      if (failure !== undefined) throw failure;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };

  if (isDone()) return;
  const over = new AbortController();
  const stopped = AbortSignal.any([signal, over.signal]);
  stopped.addEventListener('abort', () => wake(), { once: true });
  const watchdog = setInterval(watch, WATCH_MS);
  const joined = group
    .keepJoined(
      {
        assigned,
        lost,
        batch: ({ partition, askedFor, records, lastOffset }) =>
          take({ partition, expected: at(partition), askedFor, records, next: after(lastOffset) }),
        passed: (partition, lastOffset) => {
          const expected = at(partition);
          if (lastOffset < expected) return;
          take({ partition, expected, askedFor: expected, records: [], next: after(lastOffset) });
        },
      },
      stopped,
    )
    .catch(fail);
  try {
    for (let part = await nextPart(); part !== undefined; part = await nextPart()) {
      waitingRecords -= part.records.length;
      if (isPaused && waitingRecords < MAX_WAITING_RECORDS / 2) {
        isPaused = false;
        for (const partition of wanted()) group.resume(partition);
      }
      yield part;
    }
  } finally {
    over.abort();
    clearInterval(watchdog);
    await joined;
  }
}
