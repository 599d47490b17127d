/** Where a consumer stands between its database, its log and its group. Pure. */
import { lostPosition, type PositionRow } from '../../consumer/index.ts';
import type { Consumer, kafka, StreamError } from '../../wire/index.ts';

export interface Standing {
  /** Records it has not read. */
  readonly lagRecords: number;
  /** The first of them in each partition that has any. */
  readonly unread: ReadonlyMap<number, kafka.Offset>;
  /** The halt that waits for it in each partition whose position the log, or the database, has lost. */
  readonly lost: readonly StreamError[];
  /** Partitions where the group has committed more than the database has. */
  readonly ahead: readonly number[];
  /** Whether it ever stored a position or committed one. */
  readonly hasRun: boolean;
}

export const standingOf = (
  consumer: Consumer,
  topic: string,
  ends: readonly kafka.PartitionEnds[],
  positions: readonly PositionRow[],
  committed: ReadonlyMap<number, kafka.Offset>,
): Standing => {
  const own = new Map(
    positions.filter((row) => row.consumer === consumer).map(({ partition, position }) => [partition, position]),
  );
  const unread = new Map<number, kafka.Offset>();
  const lost: StreamError[] = [];
  const ahead: number[] = [];
  let lagRecords = 0;
  for (const end of ends) {
    const { partition } = end;
    const [position, commit] = [own.get(partition), committed.get(partition)];
    const halt = lostPosition({ consumer, topic, partition }, position, end, commit);
    if (halt !== undefined) lost.push(halt);
    else if (position !== undefined && commit !== undefined && commit > position) ahead.push(partition);
    const from = position === undefined || position < end.start ? end.start : position;
    if (from >= end.end) continue;
    lagRecords += Number(end.end - from);
    unread.set(partition, from);
  }
  return { lagRecords, unread, lost, ahead, hasRun: own.size > 0 || committed.size > 0 };
};
