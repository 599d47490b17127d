/** What verifying may find, and the sums of one partition. */
import type { kafka } from '../../wire/index.ts';

/**
 * `missing`: a record in neither table nor quarantine. `doubled`: a second row. `wrong`: a row that says otherwise than the
 * record at its place. `lost`: the log does not hold what the position says.
 */
export type Problem = 'missing' | 'doubled' | 'wrong' | 'lost';

export interface Finding {
  readonly problem: Problem;
  readonly partition: number;
  readonly offset: kafka.Offset;
  readonly eventId: string | null;
  /** Constants, places and words of closed lists. */
  readonly detail: string;
}

/** `givenUp`: an operator has adopted a position behind it. */
export type RecordOutcome = 'stored' | 'duplicate' | 'filtered' | 'quarantined' | 'givenUp';

export interface PartitionSums extends Record<RecordOutcome, number>, Record<Problem, number> {
  readonly partition: number;
  readonly from: kafka.Offset;
  /** Exclusive. */
  readonly to: kafka.Offset;
  /** Between the position and the end of the log: the sink has not read it yet. */
  readonly unread: bigint;
  records: number;
  /** Rows whose records are no longer in the log, or were not asked for. */
  rowsBefore: number;
}
