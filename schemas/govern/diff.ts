/**
 * What a change of a schema means for those who write and those who read. The registry sees only part of it: neither the
 * order of symbols, nor `maxItems`, nor a logical type, nor that a new defaulted string is a hole for text (design 3.5).
 */
import { ID_KINDS } from '../ids.ts';
import { isObject, type Json, listOf } from './finding.ts';

export const EFFECTS = ['safe', 'breaks readers', 'breaks writers', 'changes meaning'] as const;
export type Effect = (typeof EFFECTS)[number];

export interface Change {
  /** The path inside the schema. */
  readonly where: string;
  readonly what: string;
  readonly effect: Effect;
}

type Add = (where: string, what: string, effect: Effect) => void;

const nodeOf = (type: unknown): Json => (isObject(type) ? type : { type });

const symbolsOf = (node: Json): readonly string[] => listOf(node.symbols).map(String);

const diffSymbols = (before: readonly string[], after: readonly string[], where: string, add: Add): void => {
  const added = after.filter((symbol) => !before.includes(symbol));
  const removed = before.filter((symbol) => !after.includes(symbol));
  for (const symbol of added) add(where, `symbol ${symbol} added`, 'breaks readers');
  for (const symbol of removed) add(where, `symbol ${symbol} removed`, 'breaks writers');
  // The wire carries the index alone: a word that moved is another word to whoever has the old list.
  const isMoved = before.some((symbol, index) => after.includes(symbol) && after[index] !== symbol);
  if (isMoved) add(where, 'symbols in another order', 'changes meaning');
};

const diffBound = (before: unknown, after: unknown, where: string, add: Add): void => {
  if (before === after) return;
  const isTighter = typeof after === 'number' && (typeof before !== 'number' || after < before);
  add(
    `${where}.maxItems`,
    `maxItems from ${String(before)} to ${String(after)}`,
    isTighter ? 'breaks writers' : 'breaks readers',
  );
};

/** Attributes that have no line of their own: each reader ignores them, or makes of them what it likes. */
const diffOthers = (before: Json, after: Json, known: readonly string[], where: string, add: Add): void => {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (!known.includes(key) && JSON.stringify(before[key]) !== JSON.stringify(after[key])) {
      add(where, 'another attribute that readers do not know', 'changes meaning');
    }
  }
};

const KNOWN_ATTRIBUTES = ['type', 'logicalType', 'items', 'maxItems', 'symbols', 'name', 'namespace', 'doc', 'default'];

const diffType = (before: unknown, after: unknown, where: string, add: Add): void => {
  const [a, b] = [nodeOf(before), nodeOf(after)];
  if (JSON.stringify(a.type) !== JSON.stringify(b.type)) {
    add(where, 'another type', 'breaks readers');
    return;
  }
  if (a.logicalType !== b.logicalType) add(`${where}.logicalType`, 'another logical type', 'changes meaning');
  if (a.name !== b.name || a.namespace !== b.namespace) add(`${where}.name`, 'another type name', 'breaks readers');
  if (a.doc !== b.doc) add(`${where}.doc`, 'another text', 'safe');
  if (JSON.stringify(a.default) !== JSON.stringify(b.default))
    add(`${where}.default`, 'another default', 'changes meaning');
  diffSymbols(symbolsOf(a), symbolsOf(b), `${where}.symbols`, add);
  diffBound(a.maxItems, b.maxItems, where, add);
  if (a.items !== undefined || b.items !== undefined) diffType(a.items, b.items, `${where}.items`, add);
  diffOthers(a, b, KNOWN_ATTRIBUTES, where, add);
};

const fieldsOf = (schema: Json): ReadonlyMap<string, Json> =>
  new Map(
    listOf(schema.fields)
      .filter(isObject)
      .map((field): [string, Json] => [String(field.name), field]),
  );

const FIELD_ATTRIBUTES = ['name', 'type', 'doc', 'default', 'aliases'];
const RECORD_ATTRIBUTES = ['type', 'namespace', 'name', 'doc', 'aliases', 'fields'];

/** Everything but ids, times and closed words, alone or in a list, can carry text. */
const canCarryText = (type: unknown): boolean => {
  const node = nodeOf(type);
  switch (node.type) {
    case 'string':
      return typeof node.logicalType !== 'string' || !Object.hasOwn(ID_KINDS, node.logicalType);
    case 'array':
      return canCarryText(node.items);
    default:
      return node.type !== 'enum' && node.type !== 'long';
  }
};

const hasDefault = (field: Json): boolean => Object.hasOwn(field, 'default');

const diffFields = (before: Json, after: Json, add: Add): void => {
  const [old, now] = [fieldsOf(before), fieldsOf(after)];
  for (const [name, field] of old) {
    const where = `fields.${name}`;
    const other = now.get(name);
    if (other === undefined) {
      add(where, 'field removed', 'breaks readers');
      continue;
    }
    diffType(field.type, other.type, `${where}.type`, add);
    if (field.doc !== other.doc) add(`${where}.doc`, 'another text', 'safe');
    if (JSON.stringify(field.default) !== JSON.stringify(other.default)) {
      add(`${where}.default`, 'another default', 'changes meaning');
    }
    if (JSON.stringify(field.aliases) !== JSON.stringify(other.aliases)) {
      add(`${where}.aliases`, 'other aliases', 'changes meaning');
    }
    diffOthers(field, other, FIELD_ATTRIBUTES, where, add);
  }
  for (const [name, field] of now) {
    if (old.has(name)) continue;
    const where = `fields.${name}`;
    if (!hasDefault(field)) add(where, 'field added without a default', 'breaks readers');
    else if (canCarryText(field.type))
      add(where, 'a field for free text added, which the registry lets pass', 'changes meaning');
    else add(where, 'field added with a default', 'safe');
  }
  const kept = [...old.keys()].filter((name) => now.has(name));
  if (kept.join() !== [...now.keys()].filter((name) => old.has(name)).join())
    add('fields', 'fields in another order', 'safe');
  if (now.size !== listOf(after.fields).length && JSON.stringify(before.fields) !== JSON.stringify(after.fields))
    add('fields', 'a field stands twice, or is none', 'breaks readers');
};

const IN_WRITING_ALONE: Change = { where: '', what: 'white space or order of members', effect: 'safe' };

/** Every change from one text to the other; both must be JSON objects. None for the same text, letter for letter. */
export const diffSchemas = (beforeText: string, afterText: string): readonly Change[] => {
  if (beforeText === afterText) return [];
  const [before, after] = [JSON.parse(beforeText) as Json, JSON.parse(afterText) as Json]; // schema texts: linted ones
  const changes: Change[] = [];
  const add: Add = (where, what, effect) => changes.push({ where, what, effect });
  if (before.name !== after.name || before.namespace !== after.namespace) {
    add('name', 'another event type', 'breaks readers');
  }
  if (JSON.stringify(before.type) !== JSON.stringify(after.type)) add('type', 'another type', 'breaks readers');
  if (before.doc !== after.doc) add('doc', 'another text', 'safe');
  if (JSON.stringify(before.aliases) !== JSON.stringify(after.aliases))
    add('aliases', 'other aliases', 'changes meaning');
  diffOthers(before, after, RECORD_ATTRIBUTES, '', add);
  diffFields(before, after, add);
  return changes.length === 0 ? [IN_WRITING_ALONE] : changes;
};

/** Whether the texts say the same; a registry may hand a text back in a writing of its own (Confluent's does). */
export const isSameSchema = (beforeText: string, afterText: string): boolean => {
  try {
    return diffSchemas(beforeText, afterText).every((change) => change === IN_WRITING_ALONE);
  } catch {
    return false; // one of them is no Avro record: another kind of schema under the same subject
  }
};

/** Whether a vocabulary changes in a way that FULL_TRANSITIVE refuses, so that design 3.5's procedure is needed. */
export const changesVocabulary = (changes: readonly Change[]): boolean =>
  changes.some(({ where, what }) => where.endsWith('.symbols') && what.startsWith('symbol '));
