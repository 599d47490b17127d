/**
 * Whose record is it? By its frame and the contract behind its schema id, without decoding the body. A type the consumer
 * does not take is passed over, whatever its body.
 */
import { type EventType, EVENT_TYPES } from '../../schemas/index.ts';
import {
  type Decoder,
  framedId,
  type IdContract,
  type kafka,
  type QuarantineReason,
  readHeader,
  type SchemaId,
  unframe,
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

/** What `ce_type` claims, if it claims one of our types. */
const claimedType = ({ headers }: kafka.SourceRecord): EventType | undefined => {
  const claimed = readHeader(headers, 'ce_type');
  return EVENT_TYPES.find((type) => type === claimed);
};

/** The ids that a slice of records needs the contract of. */
export const schemaIdsIn = (records: readonly kafka.SourceRecord[]): ReadonlySet<SchemaId> => {
  const ids = new Set<SchemaId>();
  for (const record of records) {
    const id = framedId(record.value);
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

  const claimed = claimedType(record);
  const type = contract.kind === 'foreign-type' ? undefined : contract.type;
  if (claimed !== undefined && takes.includes(claimed) && claimed !== type) return wrong('TYPE_DISAGREES', unframed.id);
  if (type === undefined || !takes.includes(type)) return { kind: 'foreign' };
  if (contract.kind !== 'ours') return wrong('FOREIGN_CONTRACT', unframed.id);
  return {
    kind: 'ours',
    type: contract.type,
    decoder: contract.decoder,
    body: unframed.body,
    schemaId: unframed.id,
  };
};
