/** `schema lint`: whether a text may be a contract at all. Pure, offline, one file at a time but for the envelope. */
import { TIPOS } from '../agent-deviation.ts';
import { ACTORS } from '../envelope.ts';
import { ID_KINDS } from '../ids.ts';
import { LEVELS } from '../projectable-events.ts';
import { fitsType } from './default-value.ts';
import { duplicateKeys } from './duplicate-keys.ts';
import { beginsWithEnvelope, envelopeText } from './envelope-rule.ts';
import { type Finding, isObject, type Json, listOf } from './finding.ts';
import { LINT_RULES, type LintRule } from './lint-rules.ts';

/** The closed lists behind the enums, by the enum's name. */
const VOCABULARIES: Readonly<Record<string, readonly string[]>> = { Actor: ACTORS, Tipo: TIPOS, Level: LEVELS };

const ATTRIBUTES = {
  record: ['type', 'namespace', 'name', 'doc', 'fields'],
  field: ['name', 'type', 'doc', 'default'],
  string: ['type', 'logicalType'],
  long: ['type', 'logicalType'],
  // A default is named here because `enum-default` has its own say about it.
  enum: ['type', 'name', 'symbols', 'doc', 'default'],
  array: ['type', 'items', 'maxItems'],
} as const;

const MAX_ITEMS = 20;

type Report = (rule: LintRule, where: string) => void;

const checkAttributes = (node: Json, allowed: readonly string[], where: string, report: Report): void => {
  for (const key of Object.keys(node)) {
    if (key === 'aliases') report('alias-refused', where);
    else if (!allowed.includes(key)) report('attribute-unknown', `${where}.${key}`);
  }
};

const hasDoc = (node: Json): boolean => typeof node.doc === 'string' && node.doc.trim().length > 0;

const checkEnum = (node: Json, where: string, report: Report): void => {
  checkAttributes(node, ATTRIBUTES.enum, where, report);
  if (node.default !== undefined) report('enum-default', where);
  if (!hasDoc(node)) report('doc-missing', where);
  const symbols = listOf(node.symbols);
  for (const symbol of symbols) {
    if (typeof symbol !== 'string' || !/^[a-z][a-z0-9_]*$/.test(symbol)) report('symbol-style', `${where}.symbols`);
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

const isEnum = (type: unknown): type is Json => isObject(type) && type.type === 'enum';

const checkFields = (fields: readonly unknown[], report: Report): void => {
  const names = new Set<string>();
  const typeNames = new Set<unknown>();
  for (const field of fields) {
    if (!isObject(field)) {
      report('not-a-record', 'fields');
      continue;
    }
    const name = typeof field.name === 'string' ? field.name : '';
    const where = `fields.${/^\w{1,64}$/.test(name) ? name : '?'}`;
    if (!/^[a-z][A-Za-z0-9]*$/.test(name) || names.has(name)) report('field-name-style', where);
    names.add(name);
    checkAttributes(field, ATTRIBUTES.field, where, report);
    if (!hasDoc(field)) report('doc-missing', where);
    if (isEnum(field.type)) {
      if (field.default !== undefined) report('enum-default', where);
      if (typeNames.has(field.type.name)) report('type-name-repeated', `${where}.type`);
      typeNames.add(field.type.name);
    } else if (field.default !== undefined && !fitsType(field.type, field.default)) report('default-invalid', where);
    checkType(field.type, `${where}.type`, report);
  }
};

/** Undefined for a text that is no JSON. */
const parse = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

export interface SchemaText {
  /** The event type, by the file's name. */
  readonly type: string;
  readonly text: string;
}

/** `envelope` is the first five fields of another schema, to be equal to letter for letter. */
const lintOne = ({ type, text }: SchemaText, envelope: string | undefined): readonly Finding[] => {
  const findings: Finding[] = [];
  const report: Report = (rule, where) => {
    findings.push({ type, rule, where, ...LINT_RULES[rule] });
  };

  const schema = parse(text);
  if (schema === undefined) {
    report('json-invalid', '');
    return findings;
  }
  for (const where of duplicateKeys(text)) report('duplicate-key', where);
  if (!isObject(schema) || schema.type !== 'record' || !Array.isArray(schema.fields)) {
    report('not-a-record', '');
    return findings;
  }
  checkAttributes(schema, ATTRIBUTES.record, 'record', report);
  if (typeof schema.namespace !== 'string' || schema.namespace === '') report('namespace-missing', 'namespace');
  const name = typeof schema.name === 'string' ? schema.name : '';
  // Of a name with a dot Avro takes what stands before the last one for the namespace, whatever that says.
  if (name.includes('.') || `${String(schema.namespace)}.${name}` !== type) {
    report('name-is-not-the-event-type', 'name');
  }
  if (!hasDoc(schema)) report('doc-missing', 'record');
  checkFields(schema.fields, report);
  const isEnvelope = beginsWithEnvelope(schema) && (envelope === undefined || envelopeText(schema) === envelope);
  if (!isEnvelope) report('envelope-differs', 'fields');
  return findings;
};

/** Every finding in every text; none means that the texts may be contracts. The first right envelope is the measure. */
export const lintSchemas = (texts: readonly SchemaText[]): readonly Finding[] => {
  const measure = texts
    .map(({ text }) => parse(text))
    .filter(isObject)
    .find(beginsWithEnvelope);
  return texts.flatMap((text) => lintOne(text, measure && envelopeText(measure)));
};
