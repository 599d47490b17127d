/** The database as a maintainer reads it: SQL on the file, by Node's own driver and none of our code. */
import { DatabaseSync } from 'node:sqlite';
import { waitFor } from './wait-for.ts';

export type SqlRow = Readonly<Record<string, unknown>>;

/** One statement on a connection of its own, read-only. */
export const select = (file: string, sql: string): readonly SqlRow[] => {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  try {
    // Copied, for the rows of the driver have no prototype, which a comparison would notice.
    return database
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }));
  } finally {
    database.close();
  }
};

export const count = (file: string, sql: string): number => Number(Object.values(select(file, sql)[0] ?? {})[0]);

export interface Counters {
  readonly stored: number;
  readonly duplicate: number;
  readonly filtered: number;
  readonly quarantined: number;
}

/** The four counters of a consumer, over all partitions. */
export const countersOf = (file: string, consumer: 'sink' | 'graph'): Counters => {
  const [row] = select(
    file,
    `select coalesce(sum(stored), 0) as stored, coalesce(sum(duplicate), 0) as duplicate,
      coalesce(sum(filtered), 0) as filtered, coalesce(sum(quarantined), 0) as quarantined
      from stream_positions where consumer = '${consumer}'`,
  );
  return {
    stored: Number(row?.stored),
    duplicate: Number(row?.duplicate),
    filtered: Number(row?.filtered),
    quarantined: Number(row?.quarantined),
  };
};

/** The next offset to read, by partition; a partition that was never flushed is not in it. */
export const positionsOf = (file: string, consumer: 'sink' | 'graph'): ReadonlyMap<number, bigint> =>
  new Map(
    select(
      file,
      `select partition, next_offset from stream_positions where consumer = '${consumer}' and next_offset is not null`,
    ).map(({ partition, next_offset }) => [Number(partition), BigInt(String(next_offset))]),
  );

/** Waits until the consumer's positions are the ends of the log in every partition that holds a record. */
export const caughtUp = async (
  file: string,
  consumer: 'sink' | 'graph',
  ends: ReadonlyMap<number, bigint>,
  seen: () => string,
): Promise<void> => {
  await waitFor(
    `the ${consumer} to reach the ends of the log`,
    () => {
      const at = positionsOf(file, consumer);
      return [...ends].every(([partition, end]) => end === 0n || at.get(partition) === end);
    },
    { limitMs: 45_000, seen: () => `ends: ${show(ends)}\npositions: ${show(positionsOf(file, consumer))}\n${seen()}` },
  );
};

const show = (offsets: ReadonlyMap<number, bigint>): string =>
  [...offsets].map(([partition, offset]) => `${partition}: ${offset}`).join(', ');
