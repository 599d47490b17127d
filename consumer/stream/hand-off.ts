/**
 * The records of one partition between their fetch and their flush, in order. Fetches are small while events trickle and
 * large while a log is caught up with; a slice takes whatever waits, up to what one transaction should hold. Of a record
 * that is passed over only the count waits.
 */
import { kafka } from '../../wire/index.ts';

/** Records in one transaction. Each dirties a random page of the key's index: more at a time, fewer pages a record. */
const FLUSH_RECORDS = 2_000;

export interface Slice {
  /** To be judged. */
  readonly records: readonly kafka.SourceRecord[];
  /** How many lay between and behind them and were passed over as they came. */
  readonly filtered: number;
  /** The last of all these; undefined when there were only markers. */
  readonly last: kafka.SourceRecord | undefined;
  /** The position once all of them are handled. */
  readonly next: kafka.Offset;
}

export interface HandOff {
  /** As many wait as the next flush takes: no more should be brought. */
  readonly isFull: boolean;
  /** Whether records wait to be judged. */
  readonly hasRecords: boolean;
  /** Whether there is a slice to take: markers alone are one too. */
  readonly hasAny: boolean;
  /** All that was fetched up to `next`, be it nothing but markers. */
  add(records: readonly kafka.SourceRecord[], next: kafka.Offset): void;
  /** Undefined when nothing waits. */
  take(): Slice | undefined;
  clear(): void;
}

type Open = { -readonly [K in keyof Slice]: Slice[K] } & { readonly records: kafka.SourceRecord[] };

export const createHandOff = (isPassedOver: (record: kafka.SourceRecord) => boolean): HandOff => {
  /** All but the last are full. */
  let slices: Open[] = [];

  const isFull = (slice: Open | undefined): boolean => slice !== undefined && slice.records.length >= FLUSH_RECORDS;

  const open = (next: kafka.Offset): Open => {
    const opened: Open = { records: [], filtered: 0, last: undefined, next };
    slices.push(opened);
    return opened;
  };

  return {
    get isFull() {
      return isFull(slices[0]);
    },
    get hasRecords() {
      return slices.some(({ records }) => records.length > 0);
    },
    get hasAny() {
      return slices.length > 0;
    },
    add: (records, next) => {
      let slice = slices.at(-1) ?? open(next);
      for (const record of records) {
        if (isFull(slice)) {
          if (slice.last !== undefined) slice.next = kafka.after(slice.last.offset);
          slice = open(next);
        }
        if (isPassedOver(record)) slice.filtered += 1;
        else slice.records.push(record);
        slice.last = record;
      }
      slice.next = next;
    },
    take: () => slices.shift(),
    clear: () => {
      slices = [];
    },
  };
};
