/** Mutants that `schema lint` refuses for their JSON, a name, an attribute, a doc or the envelope. */
import { addField, agenteAs, edits, type LintMutant, PIECES, swap } from './schema-edits.ts';

const { items, occurredAt, symbols, tipoDoc } = PIECES;
const head = '"namespace": "anamnese",\n  "name": "agent_deviation"';
const agenteDoc = ',\n      "doc": "The agent that deviated: a slug of the catalogue, at most 32 characters."';
const sessionId = '"name": "sessionId",\n      "type": { "type": "string", "logicalType": "uuid" }';
const uuidField = (name: string, more = ''): string =>
  `{ "name": ${name}, "type": { "type": "string", "logicalType": "uuid" }${more}, "doc": "An id." }`;

export const MUTANTS_OF_NAMES: readonly LintMutant[] = [
  [
    'a comma too many',
    swap(symbols, '["laco", "cancelamento_pelo_usuario", "reparo_pelo_usuario",]'),
    ['json-invalid'],
  ],
  ['a file that is empty', () => '', ['json-invalid']],
  ['a mark of byte order before the text', (text) => `\uFEFF${text}`, ['json-invalid']],
  ['a member twice at the top', swap(head, `${head},\n  "name": "agent_deviation"`), ['duplicate-key']],
  ['a member twice in a field', swap(tipoDoc, `${tipoDoc},\n      ${tipoDoc}`), ['duplicate-key']],
  ['a member twice in a type', swap('"maxItems": 20', '"maxItems": 1000, "maxItems": 20'), ['duplicate-key']],
  [
    'a member twice in the items of a type',
    swap(items, '"items": { "type": "string", "logicalType": "x", "logicalType": "uuid" }'),
    ['duplicate-key'],
  ],
  [
    'a member twice, once in escapes',
    swap('"maxItems": 20', '"max\\u0049tems": 1000, "maxItems": 20'),
    ['duplicate-key'],
  ],
  ['an enum at the top', (text) => text.replace('"record"', '"enum"'), ['not-a-record']],
  ['a list at the top', (text) => `[${text}]`, ['not-a-record']],
  ['a null', () => 'null', ['not-a-record']],
  ['a record without fields', (text) => text.replace('"fields"', '"columns"'), ['not-a-record']],
  ['a field that is a word', addField('"nota"'), ['not-a-record']],

  ['no namespace', swap('"namespace": "anamnese",\n  ', ''), ['namespace-missing', 'name-is-not-the-event-type']],
  [
    'an empty namespace',
    swap('"namespace": "anamnese"', '"namespace": ""'),
    ['namespace-missing', 'name-is-not-the-event-type'],
  ],
  ['another namespace', swap('"namespace": "anamnese"', '"namespace": "anamnesis"'), ['name-is-not-the-event-type']],
  [
    'a dotted name beside the namespace',
    swap('"name": "agent_deviation"', '"name": "anamnese.agent_deviation"'),
    ['name-is-not-the-event-type'],
  ],
  [
    'a dotted name instead of a namespace',
    swap(head, '"name": "anamnese.agent_deviation"'),
    ['namespace-missing', 'name-is-not-the-event-type'],
  ],
  [
    'a name that is a list',
    swap('"name": "agent_deviation"', '"name": ["agent_deviation"]'),
    ['name-is-not-the-event-type'],
  ],
  [
    'a name that is not the file',
    swap('"name": "agent_deviation"', '"name": "agent_deviations"'),
    ['name-is-not-the-event-type'],
  ],

  [
    'a misspelt attribute of the array',
    swap('"maxItems": 20', '"maxitems": 20'),
    ['attribute-unknown', 'array-unbounded'],
  ],
  [
    'a misspelt attribute beside the right one',
    swap('"maxItems": 20', '"maxItems": 20, "minItems": 1'),
    ['attribute-unknown'],
  ],
  [
    'a misspelt logical type',
    agenteAs('{ "type": "string", "logicaltype": "agent-id" }'),
    ['attribute-unknown', 'string-free'],
  ],
  ['an attribute of another tool', swap(tipoDoc, `"order": "ignore",\n      ${tipoDoc}`), ['attribute-unknown']],
  [
    'an attribute of Java on a string',
    agenteAs('{ "type": "string", "logicalType": "agent-id", "avro.java.string": "String" }'),
    ['attribute-unknown'],
  ],
  [
    'a bound on the items',
    swap(items, '"items": { "type": "string", "logicalType": "uuid", "maxItems": 20 }'),
    ['attribute-unknown'],
  ],
  ['a version at the top', swap(head, `${head},\n  "version": 2`), ['attribute-unknown']],
  ['a default at the top', swap(head, `${head},\n  "default": {}`), ['attribute-unknown']],
  [
    'a default inside a type',
    agenteAs('{ "type": "string", "logicalType": "agent-id", "default": "x" }'),
    ['attribute-unknown'],
  ],
  [
    'a default on the items',
    swap(items, '"items": { "type": "string", "logicalType": "uuid", "default": "x" }'),
    ['attribute-unknown'],
  ],
  [
    'a namespace of its own for an enum',
    swap('"name": "Tipo"', '"namespace": "outra", "name": "Tipo"'),
    ['attribute-unknown'],
  ],
  ['an alias of the record', swap(head, `${head},\n  "aliases": ["deviation"]`), ['alias-refused']],
  ['an alias of a field', swap(tipoDoc, `"aliases": ["kind"],\n      ${tipoDoc}`), ['alias-refused']],
  ['an alias of an enum', swap('"name": "Tipo"', '"name": "Tipo", "aliases": ["Kind"]'), ['alias-refused']],

  ['a record without a doc', (text) => text.replace(/"doc": "An agent of [^"]*",\s*/, ''), ['doc-missing']],
  ['a field without a doc', swap(agenteDoc, ''), ['doc-missing']],
  ['a field with an empty doc', swap(agenteDoc, ',\n      "doc": "  "'), ['doc-missing']],
  ['a doc that is a list', swap(agenteDoc, ',\n      "doc": ["The agent."]'), ['doc-missing']],
  ['an enum without a doc', (text) => text.replace(/,\s*"doc": "laco: [^"]*"/, ''), ['doc-missing']],

  ['a field in snake case', swap('"name": "agente"', '"name": "agente_id"'), ['field-name-style']],
  ['a field with a capital', swap('"name": "agente"', '"name": "Agente"'), ['field-name-style']],
  ['a field with a letter of no language', swap('"name": "agente"', '"name": "agênte"'), ['field-name-style']],
  ['a field without a name', swap('"name": "agente",\n      ', ''), ['field-name-style']],
  ['a field whose name is a list', swap('"name": "agente"', '"name": ["agente"]'), ['field-name-style']],
  ['a field twice', addField(uuidField('"agente"')), ['field-name-style']],
  [
    'a name of a person as the default of an id',
    addField(uuidField('"outro"', ', "default": "Maria Silva"')),
    ['default-invalid'],
  ],
  ['a null as the default of an id', addField(uuidField('"outro"', ', "default": null')), ['default-invalid']],
  [
    'a time out of the window as a default',
    addField(
      '{ "name": "outro", "type": { "type": "long", "logicalType": "timestamp-millis" }, "default": 0, "doc": "A time." }',
    ),
    ['default-invalid'],
  ],
  [
    'a text in the default of a list',
    swap('"maxItems": 20\n      }', '"maxItems": 20\n      },\n      "default": ["x"]'),
    ['default-invalid'],
  ],

  ['an envelope field renamed', swap('"name": "eventId"', '"name": "id"'), ['envelope-differs']],
  [
    'an envelope field of another id kind',
    swap(sessionId, sessionId.replace('uuid', 'agent-id')),
    ['envelope-differs'],
  ],
  [
    'an envelope time as an id',
    swap(occurredAt, '"name": "occurredAt",\n      "type": { "type": "string", "logicalType": "uuid" }'),
    ['envelope-differs'],
  ],
  [
    'an envelope field with another doc',
    swap("The session's project, from the engine's context.", 'The project.'),
    ['envelope-differs'],
  ],
  [
    'an envelope field with a default',
    swap(sessionId, `${sessionId},\n      "default": "a1b2c3d4-0000-4000-8000-00000000000a"`),
    ['envelope-differs'],
  ],
  [
    'envelope fields in another order',
    edits(
      swap('"name": "eventId"', '"name": "?"'),
      swap('"name": "sessionId"', '"name": "eventId"'),
      swap('"name": "?"', '"name": "sessionId"'),
    ),
    ['envelope-differs'],
  ],
  [
    'an envelope field missing',
    (text) => text.replace(/ {4}\{\s*"name": "projectId"[\s\S]*?\n {4}\},\n/, ''),
    ['envelope-differs'],
  ],
  [
    'no envelope at all',
    (text) => text.replace(/"fields": \[[\s\S]*"name": "agente"/, '"fields": [\n    {\n      "name": "agente"'),
    ['envelope-differs'],
  ],
  [
    'another field before the envelope',
    swap('"fields": [', `"fields": [\n    ${uuidField('"traceId"')},`),
    ['envelope-differs'],
  ],
];
