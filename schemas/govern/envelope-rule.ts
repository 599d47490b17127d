/** The five fields that every event type begins with, as `schema lint` holds them: by name, by type, then letter for letter. */
import { isObject, type Json, listOf } from './finding.ts';

/** Name, Avro type, and logical type or enum. A file that is linted alone has no other file to be equal to. */
const ENVELOPE = [
  ['eventId', 'string', 'uuid'],
  ['sessionId', 'string', 'uuid'],
  ['projectId', 'string', 'uuid'],
  ['occurredAt', 'long', 'timestamp-millis'],
  ['actor', 'enum', 'Actor'],
] as const;

const isEnvelopeField = (field: unknown, [name, type, kind]: (typeof ENVELOPE)[number]): boolean =>
  isObject(field) &&
  field.name === name &&
  isObject(field.type) &&
  field.type.type === type &&
  (type === 'enum' ? field.type.name : field.type.logicalType) === kind &&
  !Object.hasOwn(field, 'default');

const headOf = (schema: Json): readonly unknown[] => listOf(schema.fields).slice(0, ENVELOPE.length);

export const beginsWithEnvelope = (schema: Json): boolean => {
  const head = headOf(schema);
  return ENVELOPE.every((wanted, index) => isEnvelopeField(head[index], wanted));
};

/** The envelope as this schema words it, to be compared with another's. */
export const envelopeText = (schema: Json): string => JSON.stringify(headOf(schema));
