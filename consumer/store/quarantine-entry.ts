/** An entry of the quarantine as the tools see it, and what a second look at its record may lead to. */
import type { Consumer, kafka, QuarantineReason, QuarantineState } from '../../wire/index.ts';
import type { GraphChange } from '../graph/graph-change.ts';
import type { DeviationRow } from '../outcome.ts';
import type { PartitionKey } from './partition-key.ts';

/** One record's place, under the consumer that could not take it. */
export interface QuarantineKey extends PartitionKey {
  readonly offset: kafka.Offset;
}

export interface QuarantineEntry extends QuarantineKey {
  readonly reason: string;
  readonly schemaId: number | null;
  /** Bytes of the value. */
  readonly size: number;
  /** RFC 3339 UTC with milliseconds, as the three behind it. */
  readonly recordTime: string;
  readonly firstSeenAt: string;
  readonly lastSeenAt: string;
  readonly attempts: number;
  readonly state: QuarantineState;
  readonly resolvedAt: string | null;
}

/** Within one filter OR, between filters AND; an absent one lets everything through. */
export interface QuarantineFilter {
  readonly consumers?: readonly Consumer[];
  readonly reasons?: readonly string[];
  readonly states?: readonly QuarantineState[];
  readonly partitions?: readonly number[];
  /** Inclusive. */
  readonly fromOffset?: kafka.Offset;
  /** Exclusive. */
  readonly toOffset?: kafka.Offset;
  /** Last seen then or later: milliseconds since 1970-01-01 UTC. */
  readonly sinceMs?: number;
  readonly limit?: number;
}

/** What the consumer's own judge makes of the record now. */
export type SecondLook =
  | { readonly kind: 'row'; readonly row: DeviationRow }
  | { readonly kind: 'graph'; readonly changes: readonly GraphChange[] }
  /** Not of the consumer's types after all: nothing to store. */
  | { readonly kind: 'filtered' }
  | { readonly kind: 'wrong'; readonly reason: QuarantineReason };

/** What became of it; in the first three the entry is resolved in the same transaction. */
export type Settled =
  | { readonly kind: 'stored' | 'duplicate' | 'filtered' }
  /** One more attempt is counted, and the reason is the first one still. */
  | { readonly kind: 'wrong'; readonly reason: QuarantineReason }
  /** Somebody else was first, or there is no such entry: nothing was written. */
  | { readonly kind: 'resolved-before' | 'no-entry' };

/** A record time as the table has it: a hostile writer may have stamped one that no calendar has. */
export const shownRecordTime = (ms: number): string => new Date(Math.abs(ms) <= 8.64e15 ? ms : 0).toISOString();

const IS_SAME = 'quarantine.record_time = excluded.record_time and quarantine.size = excluded.size';
const ofTheSame = (column: string, otherwise: string): string =>
  `${column} = case when ${IS_SAME} then quarantine.${column} else ${otherwise} end`;

/**
 * What becomes of an entry when its place is quarantined again, in the words of both databases. The same record counts one
 * more attempt; another one, on a topic that was made anew, takes the place, open: the former is gone from the topic.
 */
export const QUARANTINED_AGAIN = `
  on conflict (consumer, topic, partition, log_offset) do update set
    ${ofTheSame('reason', 'excluded.reason')}, ${ofTheSame('schema_id', 'excluded.schema_id')},
    size = excluded.size, record_time = excluded.record_time,
    ${ofTheSame('first_seen_at', 'excluded.first_seen_at')}, last_seen_at = excluded.last_seen_at,
    attempts = case when ${IS_SAME} then quarantine.attempts + 1 else 1 end,
    ${ofTheSame('state', "'open'")}, ${ofTheSame('resolved_at', 'null')}`;
