/** `schema lint`: whether a text may be a contract at all. Pure, offline, one file at a time but for the envelope. */
import { TIPOS } from '../agent-deviation.ts';
import { ACTORS } from '../envelope.ts';
import { ID_KINDS } from '../ids.ts';
import { LEVELS } from '../projectable-events.ts';
import { duplicateKeys } from './duplicate-keys.ts';
import { type Finding, isObject, type Json, listOf } from './finding.ts';
import { LINT_RULES, type LintRule } from './lint-rules.ts';

/** The closed lists behind the enums, by the enum's name. */
const VOCABULARIES: Readonly<Record<string, readonly string[]>> = { Actor: ACTORS, Tipo: TIPOS, Level: LEVELS };

const ATTRIBUTES = {
  record: ['type', 'namespace', 'name', 'doc', 'fields'],
  field: ['name', 'type', 'doc', 'default'],
  string: ['type', 'logicalType'],
  long: ['type', 'logicalType'],
  enum: ['type', 'name', 'symbols', 'doc'],
  array: ['type', 'items', 'maxItems'],
} as const;

/** Handled by rules of their own. */
const NAMED_ELSEWHERE = ['aliases', 'default'];

const ENVELOPE_FIELDS = 5;
const MAX_ITEMS = 20;

type Report = (rule: LintRule, where: string) => void;

const checkAttributes = (node: Json, allowed: readonly string[], where: string, report: Report): void => {
  for (const key of Object.keys(node)) {
    if (key === 'aliases') report('alias-refused', where);
    else if (!allowed.includes(key) && !NAMED_ELSEWHERE.includes(key)) report('attribute-unknown', `${where}.${key}`);
  }
};

const hasDoc = (node: Json): boolean => typeof node.doc === 'string' && node.doc.trim().length > 0;

const checkEnum = (node: Json, where: string, report: Report): void => {
  checkAttributes(node, ATTRIBUTES.enum, where, report);
  if (node.default !== undefined) report('enum-default', where);
  if (!hasDoc(node)) report('doc-missing', where);
  const symbols = listOf(node.symbols).map(String);
  for (const symbol of symbols) {
    if (!/^[a-z][a-z0-9_]*$/.test(symbol)) report('symbol-style', `${where}.symbols`);
    else if (hasDoc(node) && !new RegExp(`(?:^|[\\s,])${symbol}[:,]`).test(String(node.doc))) {
      report('symbol-undocumented', `${where}.symbols`);
    }
  }
  const name = String(node.name);
  const words = Object.hasOwn(VOCABULARIES, name) ? VOCABULARIES[name] : undefined;
  if (words === undefined || words.join() !== symbols.join()) report('symbols-not-the-vocabulary', `${where}.symbols`);
};

const checkString = (node: Json, where: string, report: Report): void => {
  checkAttributes(node, ATTRIBUTES.string, where, report);
  if (node.logicalType === undefined) report('string-free', where);
  else if (typeof node.logicalType !== 'string' || !Object.hasOwn(ID_KINDS, node.logicalType))
    report('logical-type-unknown', where);
};

const checkLong = (node: Json, where: string, report: Report): void => {
  checkAttributes(node, ATTRIBUTES.long, where, report);
  if (node.logicalType === undefined) report('type-forbidden', where);
  else if (node.logicalType !== 'timestamp-millis') report('logical-type-unknown', where);
};

const checkArray = (node: Json, where: string, report: Report): void => {
  checkAttributes(node, ATTRIBUTES.array, where, report);
  const { maxItems } = node;
  const isBounded = Number.isInteger(maxItems) && Number(maxItems) >= 1 && Number(maxItems) <= MAX_ITEMS;
  if (!isBounded) report('array-unbounded', where);
  const items = isObject(node.items) ? node.items : { type: node.items };
  if (items.type === 'string') checkString(items, `${where}.items`, report);
  else report('type-forbidden', `${where}.items`);
};

const checkType = (type: unknown, where: string, report: Report): void => {
  const node = isObject(type) ? type : { type };
  switch (node.type) {
    case 'string':
      checkString(node, where, report);
      return;
    case 'long':
      checkLong(node, where, report);
      return;
    case 'enum':
      checkEnum(node, where, report);
      return;
    case 'array':
      checkArray(node, where, report);
      return;
    default:
      report('type-forbidden', where);
  }
};

const isEnum = (type: unknown): boolean => isObject(type) && type.type === 'enum';

const checkFields = (fields: readonly unknown[], report: Report): void => {
  const names = new Set<string>();
  for (const field of fields) {
    if (!isObject(field)) {
      report('not-a-record', 'fields');
      continue;
    }
    const name = String(field.name);
    const where = `fields.${/^\w{1,64}$/.test(name) ? name : '?'}`;
    if (!/^[a-z][A-Za-z0-9]*$/.test(name) || names.has(name)) report('field-name-style', where);
    names.add(name);
    checkAttributes(field, ATTRIBUTES.field, where, report);
    if (!hasDoc(field)) report('doc-missing', where);
    if (field.default !== undefined && isEnum(field.type)) report('enum-default', where);
    checkType(field.type, `${where}.type`, report);
  }
};

export interface SchemaText {
  /** The event type, by the file's name. */
  readonly type: string;
  readonly text: string;
}

/** `envelope` is the first five fields of another schema, to be equal to. */
const lintOne = ({ type, text }: SchemaText, envelope: string | undefined): readonly Finding[] => {
  const findings: Finding[] = [];
  const report: Report = (rule, where) => {
    findings.push({ type, rule, where, ...LINT_RULES[rule] });
  };

  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch {
    report('json-invalid', '');
    return findings;
  }
  for (const where of duplicateKeys(text)) report('duplicate-key', where);
  if (!isObject(schema) || schema.type !== 'record' || !Array.isArray(schema.fields)) {
    report('not-a-record', '');
    return findings;
  }
  checkAttributes(schema, ATTRIBUTES.record, 'record', report);
  if (schema.default !== undefined) report('attribute-unknown', 'record.default');
  if (typeof schema.namespace !== 'string' || schema.namespace === '') report('namespace-missing', 'namespace');
  if (String(schema.name).includes('.') || `${String(schema.namespace)}.${String(schema.name)}` !== type) {
    report('name-is-not-the-event-type', 'name');
  }
  if (!hasDoc(schema)) report('doc-missing', 'record');
  checkFields(schema.fields, report);
  if (envelope !== undefined && envelopeOf(text) !== envelope) report('envelope-differs', 'fields');
  return findings;
};

const envelopeOf = (text: string): string | undefined => {
  try {
    const schema: unknown = JSON.parse(text);
    return isObject(schema) ? JSON.stringify(listOf(schema.fields).slice(0, ENVELOPE_FIELDS)) : undefined;
  } catch {
    return undefined;
  }
};

/** Every finding in every text; none means that the texts may be contracts. The first text's envelope is the measure. */
export const lintSchemas = (texts: readonly SchemaText[]): readonly Finding[] => {
  const [first] = texts;
  const envelope = first === undefined ? undefined : envelopeOf(first.text);
  return texts.flatMap((text) => lintOne(text, envelope));
};
