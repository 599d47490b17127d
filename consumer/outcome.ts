/** What became of a record. Per record exactly one word; per partition consumed = the sum of the four. */
import type { AgentDeviation } from '../schemas/index.ts';
import type { kafka, QuarantineReason, SchemaId } from '../wire/index.ts';
import type { GraphChange } from './graph/graph-change.ts';

export const OUTCOMES = ['stored', 'duplicate', 'filtered', 'quarantined'] as const;
export type Outcome = (typeof OUTCOMES)[number];
export type OutcomeCounts = Readonly<Record<Outcome, number>>;

export const NO_OUTCOMES: OutcomeCounts = { stored: 0, duplicate: 0, filtered: 0, quarantined: 0 };

export const addCounts = (a: OutcomeCounts, b: OutcomeCounts): OutcomeCounts => ({
  stored: a.stored + b.stored,
  duplicate: a.duplicate + b.duplicate,
  filtered: a.filtered + b.filtered,
  quarantined: a.quarantined + b.quarantined,
});

export const consumedCount = (counts: OutcomeCounts): number =>
  counts.stored + counts.duplicate + counts.filtered + counts.quarantined;

/** A deviation on its way to a row of `session_events`. The store alone knows whether its id is new. */
export interface DeviationRow {
  readonly event: AgentDeviation;
  readonly offset: kafka.Offset;
  readonly schemaId: SchemaId;
  readonly contentHash: string;
  readonly traceId: string | undefined;
  /** For the quarantine, should the row clash: bytes of the value, and the topic's clock. */
  readonly size: number;
  readonly recordTimeMs: number;
}

/** A pointer to a record that cannot be stored; never a copy of it. */
export interface QuarantinePointer {
  readonly offset: kafka.Offset;
  readonly reason: QuarantineReason;
  /** Only an id that the registry knows. */
  readonly schemaId: SchemaId | undefined;
  /** Bytes of the value. */
  readonly size: number;
  readonly recordTimeMs: number;
}

/** What a consumer decides about one record, before the store has seen it. */
export type Judged =
  | { readonly kind: 'row'; readonly row: DeviationRow }
  | { readonly kind: 'graph'; readonly changes: readonly GraphChange[] }
  | { readonly kind: 'filtered' }
  | { readonly kind: 'quarantined'; readonly pointer: QuarantinePointer };
