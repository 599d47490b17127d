/**
 * The port to the database. Its promise: what a flush carries (rows, graph changes, quarantine, counters, position) is
 * in the database as a whole or not at all, and only while the epoch is held.
 */
import type { Consumer, kafka } from '../../wire/index.ts';
import type { GraphChange } from '../graph/graph-change.ts';
import type { DeviationRow, OutcomeCounts, QuarantinePointer } from '../outcome.ts';
import type { Counted, Dimension, SlotCount, Slots } from './counting.ts';
import type { DeviationFilter } from './deviation-filter.ts';
import type { QuarantineEntry, QuarantineFilter, QuarantineKey, SecondLook, Settled } from './quarantine-entry.ts';
import type { PartitionKey } from './partition-key.ts';
import type { Versions } from './migrations.ts';

export type { PartitionKey };

export interface Claim {
  /** The database's own fence: a flush under an older epoch writes nothing. */
  readonly epoch: number;
  /** The next offset to read; undefined when this partition was never read. */
  readonly position: kafka.Offset | undefined;
  /** The last record handled, to recognise the log by. */
  readonly witness: Witness | undefined;
  readonly window: Window;
}

/** What became of the records of the last `WINDOW_MS`, across restarts. */
export interface Window {
  readonly consumed: number;
  readonly quarantined: number;
}

/** Ten minutes (design section 5). */
export const WINDOW_MS = 600_000;

/** Identifies the last record handled, so that a recreated topic is noticed: SHA-256 of its offset, time, key and size. */
export interface Witness {
  readonly offset: kafka.Offset;
  readonly hash: string;
}

export interface FlushRequest extends PartitionKey {
  readonly epoch: number;
  /** Where the stored position stands by what the caller knows; undefined before the first flush of a partition. */
  readonly fromOffset: kafka.Offset | undefined;
  /** In the order of the log. They may be made while they are gone through, each time anew: better not kept. */
  readonly rows: Iterable<DeviationRow>;
  readonly changes: readonly GraphChange[];
  /** How many records the changes came from. */
  readonly projected: number;
  readonly quarantine: readonly QuarantinePointer[];
  readonly filtered: number;
  readonly nextOffset: kafka.Offset;
  readonly witness: Witness | undefined;
}

export type FlushAnswer =
  | {
      readonly kind: 'flushed';
      readonly counts: OutcomeCounts;
      /** All that was quarantined: the request's own, and what only the database could tell. */
      readonly setAside: readonly QuarantinePointer[];
      readonly window: Window;
    }
  /** This very flush was committed before; its answer got lost. Nothing was written now. */
  | { readonly kind: 'flushed-before' }
  /** Somebody else claimed the partition: nothing was written. */
  | { readonly kind: 'epoch-lost' }
  /** The stored position is another one: the database went back or was changed by hand. Nothing was written. */
  | { readonly kind: 'position-moved' };

export interface PositionRow extends PartitionKey {
  readonly position: kafka.Offset;
  readonly epoch: number;
  readonly counts: OutcomeCounts;
}

/** What lies between is gone; an operator has decided to go on behind it. */
export interface PositionLoss {
  /** Undefined when there was no position. */
  readonly from: kafka.Offset | undefined;
  readonly to: kafka.Offset;
  readonly why: string;
}

/** What a consumer needs. Every method rejects with a retriable StreamError while the database is away. */
export interface Store {
  /** Raises the partition's epoch and answers it with the position, in one step. `forgive`: the window starts anew. */
  claim(key: PartitionKey, options?: { readonly forgive?: boolean }): Promise<Claim>;
  /** Whether nobody has claimed the partition since the claim that raised it to this epoch. */
  isHeld(key: PartitionKey, epoch: number): Promise<boolean>;
  /** Sets a lost position to where an operator says, and records what was lost. Raises the epoch. */
  adopt(key: PartitionKey, loss: PositionLoss): Promise<void>;
  flush(request: FlushRequest): Promise<FlushAnswer>;
  /**
   * What a second look at a quarantined record leads to: its event is stored and the entry resolved in one step. Needs no
   * claim and leaves position and counters alone, so it works beside whoever reads the partition.
   */
  settle(key: QuarantineKey, look: SecondLook): Promise<Settled>;
  /** Gives an open entry up; answers whether there was one. */
  discard(key: QuarantineKey): Promise<boolean>;
  close(): Promise<void>;
}

/** A stored deviation, as the tools show it. */
export interface StoredDeviation {
  readonly eventId: string;
  readonly sessionId: string;
  readonly projectId: string;
  /** RFC 3339 UTC with milliseconds. */
  readonly occurredAt: string;
  /** As people see it: `agent/anamnese`. */
  readonly actor: string;
  readonly agente: string;
  readonly tipo: string;
  readonly evidenceEventIds: readonly string[];
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  readonly schemaId: number;
  readonly contentHash: string;
  readonly traceId: string | null;
  readonly recordedAt: string;
}

/** Where a row stands in the order of a listing. */
export type RowPlace = Pick<StoredDeviation, 'occurredAt' | 'eventId'>;

export interface GraphSize {
  readonly nodes: number;
  readonly edges: number;
}

/** How many records wait in quarantine for one reason. */
export interface OpenQuarantine {
  readonly consumer: Consumer;
  readonly reason: string;
  readonly count: number;
}

export interface RecordedLoss extends PartitionKey {
  readonly from: kafka.Offset;
  readonly to: kafka.Offset;
  readonly why: string;
  /** RFC 3339 UTC with milliseconds. */
  readonly adoptedAt: string;
}

export interface Latest {
  /** As `deviations` gives them. */
  readonly deviations: readonly StoredDeviation[];
  readonly positions: readonly PositionRow[];
}

export interface StoredPlace {
  readonly eventId: string;
  readonly partition: number;
  readonly offset: kafka.Offset;
  readonly recordedAt: string;
}

/** What the tools need. A reader never creates a file or a table. */
export interface StoreReader {
  /** Newest first by (occurredAt, id); at most `limit` of them; `behind`: those that come after that one. */
  deviations(filter: DeviationFilter, limit?: number, behind?: RowPlace): Promise<readonly StoredDeviation[]>;
  /** One a combination of keys that occurs, in no order. */
  counts(filter: DeviationFilter, by: readonly Dimension[]): Promise<readonly Counted[]>;
  /** The same over time, within the slots and whatever times the filter names; a slot with nothing in it is left out. */
  slotCounts(filter: DeviationFilter, by: readonly Dimension[], slots: Slots): Promise<readonly SlotCount[]>;
  positions(topic: string): Promise<readonly PositionRow[]>;
  /** Both by one state of the database: what the rows lack lies at the positions and behind. */
  latest(topic: string, filter: DeviationFilter, limit: number): Promise<Latest>;
  /** By consumer and reason. */
  openQuarantine(topic: string): Promise<readonly OpenQuarantine[]>;
  /** The entries, the last seen first. */
  quarantine(topic: string, filter: QuarantineFilter): Promise<readonly QuarantineEntry[]>;
  /** The entries of one partition between two offsets, the second not included, by offset. */
  quarantinedIn(key: PartitionKey, from: kafka.Offset, to: kafka.Offset): Promise<readonly QuarantineEntry[]>;
  /** Where the records of the rows lie, by event id, those behind `afterEventId`: page by page over the whole table. */
  storedPlaces(topic: string, afterEventId: string | undefined, limit: number): Promise<readonly StoredPlace[]>;
  /** What operators gave up, the latest first. */
  losses(topic: string): Promise<readonly RecordedLoss[]>;
  graphSize(): Promise<GraphSize>;
  /** Every node and edge in a fixed order, as lines of JSON: two graphs are the same when their dumps are. */
  graphDump(): Promise<readonly string[]>;
  /** A maintainer's own question, one statement of SQL; the database is open for reading only. */
  select(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  close(): Promise<void>;
}

/** What a check-up needs to know of the database itself. It changes nothing and makes nothing. */
export interface StoreInspector {
  /** Where it is: a file, or host, port and name; no user, no password. */
  readonly place: string;
  /** Rejects with a StreamError while the database is away. */
  versions(): Promise<Versions>;
  /** Rejects with CONTRACT_MISMATCH, naming the table, when a key that the promises rest on is not there. */
  requireKeys(): Promise<void>;
  /** Whether this user may write the tables. */
  isWritable(): Promise<boolean>;
  /** How far this machine's clock is ahead of its, in milliseconds; undefined when it has none of its own. */
  clockAheadMs(): Promise<number | undefined>;
  close(): Promise<void>;
}
