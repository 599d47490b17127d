/**
 * Whose record is it? By its frame and the contract behind its schema id, without decoding the body. A type the consumer
 * does not take is passed over, whatever its body.
 */
import type { EventType } from '../../schemas/index.ts';
import {
  type Decoder,
  type IdContract,
  kafka,
  type QuarantineReason,
  type SchemaId,
  unframe,
  type WriterContract,
} from '../../wire/index.ts';
import type { QuarantinePointer } from '../outcome.ts';

export type ReadRecord =
  | {
      readonly kind: 'ours';
      readonly type: EventType;
      readonly decoder: Decoder;
      readonly body: Buffer;
      readonly schemaId: SchemaId;
    }
  | { readonly kind: 'foreign' }
  | { readonly kind: 'wrong'; readonly pointer: QuarantinePointer };

/** A pointer to this record: its place, size and time, and the id only if the registry knows it. */
export const pointTo = (
  record: kafka.SourceRecord,
  reason: QuarantineReason,
  schemaId?: SchemaId,
): QuarantinePointer => ({
  offset: record.offset,
  reason,
  schemaId,
  size: record.value?.length ?? 0,
  recordTimeMs: record.recordTimeMs,
});

/** What `ce_type` claims, if it claims one of these types. */
const claimedType = (record: kafka.SourceRecord, takes: readonly EventType[]): EventType | undefined =>
  takes.find((type) => kafka.hasHeader(record, 'ce_type', type));

/** Neither its schema nor its header makes it one of these types: whatever else it holds is not looked at. */
const isForeign = (record: kafka.SourceRecord, contract: WriterContract, takes: readonly EventType[]): boolean =>
  (contract.kind === 'foreign-type' || !takes.includes(contract.type)) && claimedType(record, takes) === undefined;

/**
 * Whether a record is passed over, by what is known without asking: one whose schema id is not known yet, or not to the
 * registry, is not.
 */
export const isPassedOver = (
  record: kafka.SourceRecord,
  takes: readonly EventType[],
  cached: (id: SchemaId) => IdContract | undefined,
): boolean => {
  const id = kafka.schemaIdOf(record);
  const contract = id === undefined ? undefined : cached(id);
  return contract !== undefined && contract.kind !== 'unknown-id' && isForeign(record, contract, takes);
};

/** The ids that a slice of records needs the contract of. */
export const schemaIdsIn = (records: readonly kafka.SourceRecord[]): ReadonlySet<SchemaId> => {
  const ids = new Set<SchemaId>();
  for (const record of records) {
    const id = kafka.schemaIdOf(record);
    if (id !== undefined) ids.add(id);
  }
  return ids;
};

/**
 * `takes` are the types of the consumer, `contracts` knows every id of `schemaIdsIn`. When the header claims a type
 * that is taken and the schema says otherwise, a registry was rebuilt with other ids: no way to tell which is right.
 */
export const readRecord = (
  record: kafka.SourceRecord,
  takes: readonly EventType[],
  contracts: ReadonlyMap<SchemaId, IdContract>,
): ReadRecord => {
  const wrong = (reason: QuarantineReason, schemaId?: SchemaId): ReadRecord => ({
    kind: 'wrong',
    pointer: pointTo(record, reason, schemaId),
  });

  const unframed = unframe(record.value);
  if (!unframed.framed) return wrong(unframed.reason);
  const contract = contracts.get(unframed.id);
  if (contract === undefined || contract.kind === 'unknown-id') return wrong('SCHEMA_UNKNOWN');

  if (isForeign(record, contract, takes)) return { kind: 'foreign' };
  const claimed = claimedType(record, takes);
  const type = contract.kind === 'foreign-type' ? undefined : contract.type;
  if (claimed !== undefined && claimed !== type) return wrong('TYPE_DISAGREES', unframed.id);
  if (contract.kind !== 'ours') return wrong('FOREIGN_CONTRACT', unframed.id);
  return {
    kind: 'ours',
    type: contract.type,
    decoder: contract.decoder,
    body: unframed.body,
    schemaId: unframed.id,
  };
};
