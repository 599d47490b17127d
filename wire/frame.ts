/** The registry's frame: one zero byte and the schema id as a big-endian int32, five bytes before the Avro body. */
import type { QuarantineReason } from './reasons.ts';

declare const schemaIdBrand: unique symbol;
/** The registry's number for a schema text. Not a number to calculate with. */
export type SchemaId = number & { readonly [schemaIdBrand]: never };

/** The registry's numbers start at 1; `schemaId(0)` is the frame of a dry run, which asks no registry. */
export const schemaId = (value: number): SchemaId => value as SchemaId; // the brand has no other door

const MAGIC = 0;
const FRAME_BYTES = 5;

export type Unframed =
  | { readonly framed: true; readonly id: SchemaId; readonly body: Buffer }
  | { readonly framed: false; readonly reason: QuarantineReason };

export const frame = (id: SchemaId, body: Uint8Array): Buffer => {
  const framed = Buffer.allocUnsafe(FRAME_BYTES + body.length);
  framed.writeUInt8(MAGIC, 0);
  framed.writeInt32BE(id, 1);
  framed.set(body, FRAME_BYTES);
  return framed;
};

/** The id in the frame of the value that lies there, if it has a right one. */
export const framedIdAt = (bytes: Buffer, at: number, length: number): SchemaId | undefined => {
  if (length < FRAME_BYTES || bytes[at] !== MAGIC) return undefined;
  const id = bytes.readInt32BE(at + 1);
  return id > 0 ? schemaId(id) : undefined;
};

export const framedId = (value: Buffer | null): SchemaId | undefined =>
  value === null ? undefined : framedIdAt(value, 0, value.length);

/** An id of 0 or below is no registry's: wrong at once, without asking (design section 5). */
export const unframe = (value: Buffer | null): Unframed => {
  if (value === null) return { framed: false, reason: 'VALUE_NULL' };
  if (value.length === 0) return { framed: false, reason: 'VALUE_EMPTY' };
  if (value.length < FRAME_BYTES || value[0] !== MAGIC) return { framed: false, reason: 'NOT_FRAMED' };
  const id = value.readInt32BE(1);
  if (id <= 0) return { framed: false, reason: 'SCHEMA_UNKNOWN' };
  return { framed: true, id: schemaId(id), body: value.subarray(FRAME_BYTES) };
};
