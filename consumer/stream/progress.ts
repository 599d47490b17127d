/** What a consumer knows of its own advance: for the watchdog, the health page and the metrics. Pure but for its clock. */
import type { kafka, QuarantineReason } from '../../wire/index.ts';
import { addCounts, NO_OUTCOMES, type OutcomeCounts } from '../outcome.ts';

/** Without an advance for so long while records wait, or without a word from the broker, a consumer is stuck; in ms. */
export const STUCK_AFTER_MS = 60_000;

export interface PartitionProgress {
  readonly partition: number;
  readonly lagRecords: number;
  /** How old the last handled record is, while others wait behind it. */
  readonly lagSeconds: number;
}

export interface ProgressSnapshot {
  /** A member of the group that has claimed every partition it was assigned, be it none. */
  readonly isReady: boolean;
  readonly isStuck: boolean;
  /** Stuck, waiting for nothing outside, and in the group for as long: to leave and come back may help. */
  readonly shouldRejoin: boolean;
  /** How many partitions wait for something outside to work again. */
  readonly holding: number;
  readonly partitions: readonly PartitionProgress[];
  readonly outcomes: OutcomeCounts;
  readonly reasons: ReadonlyMap<QuarantineReason, number>;
  readonly holds: number;
  readonly epochLosses: number;
}

export interface Progress {
  assigned(partitions: readonly number[]): void;
  /** No member of the group any more, until it is assigned anew. */
  left(): void;
  claimed(partition: number, position: kafka.Offset): void;
  flushed(partition: number, next: kafka.Offset, counts: OutcomeCounts, recordTimeMs: number | undefined): void;
  quarantined(reason: QuarantineReason): void;
  /** Begins or ends a hold; `who` tells one from another. */
  holds(who: string, isHolding: boolean): void;
  epochLost(): void;
  sawEnds(ends: readonly kafka.PartitionEnds[]): void;
  snapshot(): ProgressSnapshot;
}

interface State {
  position: kafka.Offset | undefined;
  end: kafka.Offset | undefined;
  recordTimeMs: number | undefined;
  advancedAtMs: number;
}

/** `nowMs` since 1970-01-01 UTC for the age of records, `tickMs` from any start for what has to be told from a clock set back. */
export const createProgress = (
  nowMs: () => number = Date.now,
  tickMs: () => number = () => performance.now(),
): Progress => {
  const states = new Map<number, State>();
  const holding = new Set<string>();
  const reasons = new Map<QuarantineReason, number>();
  let outcomes: OutcomeCounts = NO_OUTCOMES;
  let holds = 0;
  let epochLosses = 0;
  /** Undefined until the group was joined: before that nothing is expected. */
  let heardAtMs: number | undefined;
  /** Undefined while it is no member. */
  let assignedAtMs: number | undefined;

  const lagOf = ({ position, end }: State): number =>
    position === undefined || end === undefined || end <= position ? 0 : Number(end - position);

  return {
    assigned: (partitions) => {
      assignedAtMs = tickMs();
      heardAtMs = tickMs();
      for (const partition of states.keys()) if (!partitions.includes(partition)) states.delete(partition);
      for (const partition of partitions) {
        states.set(partition, {
          position: undefined,
          end: states.get(partition)?.end,
          recordTimeMs: states.get(partition)?.recordTimeMs,
          // To be given it again is no advance.
          advancedAtMs: states.get(partition)?.advancedAtMs ?? tickMs(),
        });
      }
    },
    left: () => {
      assignedAtMs = undefined;
    },
    claimed: (partition, position) => {
      const state = states.get(partition);
      if (state !== undefined) state.position = position;
    },
    flushed: (partition, next, counts, recordTimeMs) => {
      outcomes = addCounts(outcomes, counts);
      const state = states.get(partition);
      if (state === undefined) return;
      state.position = next;
      state.recordTimeMs = recordTimeMs ?? state.recordTimeMs;
      state.advancedAtMs = tickMs();
    },
    quarantined: (reason) => {
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    },
    holds: (who, isHolding) => {
      if (isHolding && !holding.has(who)) holds += 1;
      if (isHolding) holding.add(who);
      else holding.delete(who);
    },
    epochLost: () => {
      epochLosses += 1;
    },
    sawEnds: (ends) => {
      heardAtMs = tickMs();
      for (const { partition, end } of ends) {
        const state = states.get(partition);
        if (state === undefined) continue;
        state.end = end;
        // Nothing waits: nothing to advance over. Before the claim nobody knows.
        if (state.position !== undefined && lagOf(state) === 0) state.advancedAtMs = tickMs();
      }
    },
    snapshot: () => {
      const at = tickMs();
      const all = [...states].sort(([a], [b]) => a - b);
      const isStuck =
        (heardAtMs !== undefined && at - heardAtMs > STUCK_AFTER_MS) ||
        all.some(([, state]) => lagOf(state) > 0 && at - state.advancedAtMs > STUCK_AFTER_MS);
      return {
        isReady: assignedAtMs !== undefined && all.every(([, { position }]) => position !== undefined),
        isStuck,
        shouldRejoin: isStuck && holding.size === 0 && assignedAtMs !== undefined && at - assignedAtMs > STUCK_AFTER_MS,
        holding: holding.size,
        partitions: all.map(([partition, state]) => ({
          partition,
          lagRecords: lagOf(state),
          lagSeconds:
            lagOf(state) === 0 || state.recordTimeMs === undefined
              ? 0
              : Math.max(0, (nowMs() - state.recordTimeMs) / 1_000),
        })),
        outcomes,
        reasons,
        holds,
        epochLosses,
      };
    },
  };
};
