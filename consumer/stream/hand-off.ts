/**
 * The records of one partition between their fetch and their flush, in order. Fetches are small while events trickle and
 * large while a log is caught up with; a slice takes whatever waits, up to what one transaction should hold.
 */
import { kafka } from '../../wire/index.ts';

/** Records in one transaction. Each dirties a random page of the key's index: more at a time, fewer pages a record. */
const FLUSH_RECORDS = 2_000;

export interface Slice {
  readonly records: readonly kafka.SourceRecord[];
  /** The position once all of them are handled. */
  readonly next: kafka.Offset;
}

export interface HandOff {
  /** As many wait as the next flush takes: no more should be brought. */
  readonly isFull: boolean;
  /** Whether there is a slice to take: markers alone are one too. */
  readonly hasAny: boolean;
  /** All that was fetched up to `next`, be it nothing but markers. */
  add(records: readonly kafka.SourceRecord[], next: kafka.Offset): void;
  /** Undefined when nothing waits. */
  take(): Slice | undefined;
  clear(): void;
}

export const createHandOff = (): HandOff => {
  let waiting: readonly kafka.SourceRecord[] = [];
  /** The position behind all that waits. */
  let end: kafka.Offset | undefined;

  return {
    get isFull() {
      return waiting.length >= FLUSH_RECORDS;
    },
    get hasAny() {
      return end !== undefined;
    },
    add: (records, next) => {
      waiting = waiting.length === 0 ? records : [...waiting, ...records];
      end = next;
    },
    take: () => {
      if (end === undefined) return undefined;
      const records = waiting.slice(0, FLUSH_RECORDS);
      waiting = waiting.slice(FLUSH_RECORDS);
      const last = records.at(-1);
      if (waiting.length > 0 && last !== undefined) return { records, next: kafka.after(last.offset) };
      const next = end;
      end = undefined;
      return { records, next };
    },
    clear: () => {
      waiting = [];
      end = undefined;
    },
  };
};
