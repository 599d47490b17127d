/** What a row of either database says, in our types. Whole numbers come as bigint from the one and as text from the other. */
import { type Consumer, CONSUMERS, kafka, QUARANTINE_STATES } from '../../wire/index.ts';
import type { QuarantineEntry } from './quarantine-entry.ts';
import type {
  Claim,
  OpenQuarantine,
  PositionRow,
  RecordedLoss,
  StoredPlace,
  StoredDeviation,
  Window,
} from './store.ts';

export type Row = Readonly<Record<string, unknown>>;

export const offsetIn = (value: unknown): kafka.Offset | undefined =>
  typeof value === 'bigint' || typeof value === 'string' ? kafka.offset(value) : undefined;

export const windowIn = (row: Row | undefined): Window => ({
  consumed: Number(row?.window_consumed ?? 0),
  quarantined: Number(row?.window_quarantined ?? 0),
});

export const claimIn = (row: Row | undefined): Claim => {
  const offset = offsetIn(row?.witness_offset);
  const hash = row?.witness;
  return {
    epoch: Number(row?.epoch),
    position: offsetIn(row?.next_offset),
    witness: offset === undefined || typeof hash !== 'string' ? undefined : { offset, hash },
    window: windowIn(row),
  };
};

const consumerIn = (row: Row): Consumer | undefined => CONSUMERS.find((word) => word === row.consumer);

/** Undefined for a partition that was claimed and never read. */
export const positionIn = (row: Row): PositionRow | undefined => {
  const consumer = consumerIn(row);
  const position = offsetIn(row.next_offset);
  if (consumer === undefined || position === undefined) return undefined;
  return {
    consumer,
    topic: String(row.topic),
    partition: Number(row.partition),
    position,
    epoch: Number(row.epoch),
    counts: {
      stored: Number(row.stored),
      duplicate: Number(row.duplicate),
      filtered: Number(row.filtered),
      quarantined: Number(row.quarantined),
    },
  };
};

export const openQuarantineIn = (row: Row): readonly OpenQuarantine[] => {
  const consumer = consumerIn(row);
  return consumer === undefined ? [] : [{ consumer, reason: String(row.reason), count: Number(row.n) }];
};

export const lossIn = (row: Row, adoptedAt: string): readonly RecordedLoss[] => {
  const [consumer, from, to] = [consumerIn(row), offsetIn(row.from_offset), offsetIn(row.to_offset)];
  if (consumer === undefined || from === undefined || to === undefined) return [];
  const { topic, partition, why } = row;
  return [{ consumer, topic: String(topic), partition: Number(partition), from, to, why: String(why), adoptedAt }];
};

/** Where a row's record lies; columns of both databases that need no type of their own. */
export const placeIn = (row: Row, timeOf: (value: unknown) => string): StoredPlace => ({
  eventId: String(row.id),
  partition: Number(row.partition),
  offset: kafka.offset(String(row.log_offset)),
  recordedAt: timeOf(row.recorded_at),
});

/** `timeOf` gives an instant as RFC 3339 text: each database has a type of its own for it. */
export const quarantineEntryIn = (row: Row, timeOf: (value: unknown) => string): readonly QuarantineEntry[] => {
  const [consumer, offset] = [consumerIn(row), offsetIn(row.log_offset)];
  const state = QUARANTINE_STATES.find((word) => word === row.state);
  if (consumer === undefined || offset === undefined || state === undefined) return [];
  return [
    {
      consumer,
      topic: String(row.topic),
      partition: Number(row.partition),
      offset,
      reason: String(row.reason),
      schemaId: row.schema_id === null ? null : Number(row.schema_id),
      size: Number(row.size),
      recordTime: timeOf(row.record_time),
      firstSeenAt: timeOf(row.first_seen_at),
      lastSeenAt: timeOf(row.last_seen_at),
      attempts: Number(row.attempts),
      state,
      resolvedAt: row.resolved_at === null ? null : timeOf(row.resolved_at),
    },
  ];
};

/** The three columns that each database has a type of its own for. */
type TypedColumns = Pick<StoredDeviation, 'occurredAt' | 'recordedAt' | 'evidenceEventIds'>;

export const deviationIn = (row: Row, typed: TypedColumns): StoredDeviation => ({
  eventId: String(row.id),
  sessionId: String(row.session_id),
  projectId: String(row.project_id),
  occurredAt: typed.occurredAt,
  actor: String(row.actor),
  agente: String(row.agente),
  tipo: String(row.tipo),
  evidenceEventIds: typed.evidenceEventIds,
  topic: String(row.topic),
  partition: Number(row.partition),
  offset: String(row.log_offset),
  schemaId: Number(row.schema_id),
  contentHash: String(row.content_hash),
  traceId: typeof row.trace_id === 'string' ? row.trace_id : null,
  recordedAt: typed.recordedAt,
});
