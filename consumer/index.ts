/** From the topic to a row, or to the graph. */
export { GraphEventTranslator, type ProjectableEvent } from './graph/graph-event-translator.ts';
export type { GraphChange } from './graph/graph-change.ts';
export { type HealthServer, serveHealth } from './health/serve-health.ts';
export { graphJudge } from './graph/judge-projectable.ts';
export { type Arrived, type ArrivedDeviation, fromTopic, type FromTopic } from './look/arrived.ts';
export { type EvidenceOf, evidenceOf, type KnownEvidence } from './look/evidence.ts';
export { deviationsInParts } from './look/in-parts.ts';
export type { ArrivalNews } from './look/read-arrivals.ts';
export {
  eventFields,
  type EventFields,
  type QuarantinedReading,
  type QuarantinedRecord,
  quarantinedRecords,
  type RecordGone,
} from './look/quarantined-records.ts';
export { type Judges, type Retried, retryQuarantined, secondLookOf } from './look/second-look.ts';
export { type RecordOfRow, recordOfRow, schemaVersionOf } from './look/record-of-row.ts';
export { type NotShown, type Shown, tail, type TailParts } from './look/tail.ts';
export { addCounts, consumedCount, NO_OUTCOMES, type Outcome, type OutcomeCounts } from './outcome.ts';
export { type ConsumerOptions, runConsumer } from './run-consumer.ts';
export { createSinkJudge, type SinkPolicy } from './sink/judge-deviation.ts';
export {
  bucketCount,
  bucketOf,
  bucketsBetween,
  type Counted,
  type Dimension,
  type SlotCount,
  type Slots,
  TIME_DIMENSIONS,
  type TimeDimension,
} from './store/counting.ts';
export { type DeviationFilter, matchesFilter } from './store/deviation-filter.ts';
export { type DatabaseSettings, migrate, openInspector, openReader, openStore } from './store/open.ts';
export type {
  QuarantineEntry,
  QuarantineFilter,
  QuarantineKey,
  SecondLook,
  Settled,
} from './store/quarantine-entry.ts';
export type {
  Claim,
  FlushAnswer,
  FlushRequest,
  GraphSize,
  OpenQuarantine,
  PartitionKey,
  PositionRow,
  RecordedLoss,
  Store,
  StoredDeviation,
  StoreInspector,
  StoreReader,
} from './store/store.ts';
export { lostPosition } from './stream/lost-position.ts';
export type { Judge } from './stream/judge.ts';
export { createProgress, type Progress, type ProgressSnapshot } from './stream/progress.ts';
export { runStream } from './stream/stream.ts';
export type { StreamParts } from './stream/stream-parts.ts';
export type { Finding, PartitionSums } from './verify/finding.ts';
export { verify, type VerifyParts } from './verify/verify.ts';
