/**
 * Whose schema is it? Decides, from a writer's text alone, whether its records are ours to read (design section 5,
 * "Contract on reading"). Registries get rebuilt, so an id proves nothing: names, types and symbols do.
 */
import { EVENT_TYPES, type EventType, isSameSchema, loadSchemaText, publishedTexts } from '../schemas/index.ts';
import { createDecoder, type Decoder } from './codec.ts';

export type WriterContract =
  | { readonly kind: 'ours'; readonly type: EventType; readonly decoder: Decoder }
  | { readonly kind: 'foreign-contract'; readonly type: EventType }
  | { readonly kind: 'foreign-type' };

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const fullName = (schema: Json, namespace: unknown): string => {
  const name = String(schema.name);
  const own = schema.namespace ?? namespace;
  return name.includes('.') || typeof own !== 'string' || own === '' ? name : `${own}.${name}`;
};

const fieldsOf = (schema: Json): ReadonlyMap<string, Json> =>
  new Map(
    Array.isArray(schema.fields)
      ? schema.fields.filter(isObject).map((field): [string, Json] => [String(field.name), field])
      : [],
  );

const startsWith = (longer: unknown, shorter: unknown): boolean =>
  Array.isArray(longer) && Array.isArray(shorter) && shorter.every((symbol, index) => longer[index] === symbol);

/**
 * The same type, apart from words for people. `tipo` alone may have further symbols behind ours; bounds such as
 * `maxItems` are no part of the type: each record is held to ours.
 */
const sameType = (ours: unknown, theirs: unknown, field: string): boolean => {
  const a = isObject(ours) ? ours : { type: ours };
  const b = isObject(theirs) ? theirs : { type: theirs };
  if (a.type !== b.type || a.logicalType !== b.logicalType) return false;
  switch (a.type) {
    case 'enum':
      return (
        fullName(a, 'anamnese') === fullName(b, 'anamnese') &&
        startsWith(b.symbols, a.symbols) &&
        (field === 'tipo' || startsWith(a.symbols, b.symbols)) &&
        b.default === undefined
      );
    case 'array':
      return sameType(a.items, b.items, field);
    default:
      return typeof a.type === 'string';
  }
};

const hasEveryFieldOfOurs = (ours: Json, theirs: Json): boolean => {
  const carried = fieldsOf(theirs);
  return [...fieldsOf(ours)].every(([name, field]) => {
    const other = carried.get(name);
    return other !== undefined && sameType(field.type, other.type, name);
  });
};

/** A text that was published once stays ours though a later field is missing in it. Registries word it their own way. */
const isPublished = (type: EventType, text: string): boolean =>
  [loadSchemaText(type), ...publishedTexts(type)].some((ours) => isSameSchema(ours, text));

/** Never throws: a text that is no schema at all is a foreign type. */
export const judgeWriter = (text: string): WriterContract => {
  const theirs = parse(text);
  if (!isObject(theirs) || theirs.type !== 'record') return { kind: 'foreign-type' };
  const name = fullName(theirs, undefined);
  const type = EVENT_TYPES.find((ours) => ours === name);
  if (type === undefined) return { kind: 'foreign-type' };
  const ours = JSON.parse(loadSchemaText(type)) as Json; // our own file
  if (!isPublished(type, text) && !hasEveryFieldOfOurs(ours, theirs)) {
    return { kind: 'foreign-contract', type };
  }
  try {
    return { kind: 'ours', type, decoder: createDecoder(type, text) };
  } catch {
    return { kind: 'foreign-contract', type };
  }
};
