/** What makes one consumer differ from the other: the types it takes, and what it makes of a record. */
import type { EventType } from '../../schemas/index.ts';
import type { IdContract, kafka, SchemaId } from '../../wire/index.ts';
import type { Judged } from '../outcome.ts';

export interface Judge {
  readonly takes: readonly EventType[];
  /** Pure: the contracts are known by then. */
  judge(record: kafka.SourceRecord, contracts: ReadonlyMap<SchemaId, IdContract>): Judged;
}
