/** What is compared: of each partition the part of the log that the sink has read, as of one moment. */
import { kafka } from '../../wire/index.ts';
import type { PositionRow, RecordedLoss } from '../store/store.ts';
import type { Finding, PartitionSums } from './finding.ts';

export interface PartitionScope {
  readonly sums: PartitionSums;
  /** What operators gave up. */
  readonly givenUp: readonly RecordedLoss[];
  /** Rows recorded before then are of an older log under the same name; undefined when there was none. */
  readonly anewAt: string | undefined;
  /** What is wrong with the position itself. */
  readonly finding: Finding | undefined;
}

export interface ScopeParts {
  readonly ends: readonly kafka.PartitionEnds[];
  readonly positions: readonly PositionRow[];
  /** The latest first. */
  readonly losses: readonly RecordedLoss[];
  /** The first offset of each partition since the time that was asked for. */
  readonly since: ReadonlyMap<number, kafka.Offset> | undefined;
}

const NOTHING_YET = {
  records: 0,
  stored: 0,
  duplicate: 0,
  filtered: 0,
  quarantined: 0,
  givenUp: 0,
  missing: 0,
  doubled: 0,
  wrong: 0,
  lost: 0,
  rowsBefore: 0,
};

const lost = (partition: number, offset: kafka.Offset, detail: string): Finding => ({
  problem: 'lost',
  partition,
  offset,
  eventId: null,
  detail,
});

const positionProblem = (
  { partition, start, end }: kafka.PartitionEnds,
  position: kafka.Offset | undefined,
): Finding | undefined => {
  if (position === undefined) return undefined;
  if (position > end) {
    return lost(partition, position, `the log ends at ${end}, before the position: made anew or cut off`);
  }
  return position < start
    ? lost(partition, position, `the log starts at ${start}, behind the position: deleted before it was read`)
    : undefined;
};

/** As `position adopt` spells what leaves other records at places that were read before. */
const ANOTHER_LOG: ReadonlySet<string> = new Set(['recreated', 'truncated']);

const latest = (a: kafka.Offset, b: kafka.Offset): kafka.Offset => (a > b ? a : b);

export const scopeOf = ({ ends, positions, losses, since }: ScopeParts): ReadonlyMap<number, PartitionScope> =>
  new Map(
    ends.map((one) => {
      const { partition, start, end } = one;
      const position = positions.find((row) => row.consumer === 'sink' && row.partition === partition)?.position;
      const finding = positionProblem(one, position);
      const from = latest(start, since?.get(partition) ?? start);
      // With a position that is not in the log there is nothing to compare by.
      const to = finding === undefined ? latest(from, position ?? from) : from;
      const ofPartition = losses.filter((loss) => loss.consumer === 'sink' && loss.partition === partition);
      return [
        partition,
        {
          sums: {
            ...NOTHING_YET,
            partition,
            from,
            to,
            unread: end - to,
          },
          givenUp: ofPartition,
          anewAt: ofPartition.find(({ why }) => ANOTHER_LOG.has(why))?.adoptedAt,
          finding,
        },
      ];
    }),
  );
