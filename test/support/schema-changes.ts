/** Changes of anamnese.agent_deviation.avsc, each with what it means for those who write and those who read. */
import type { Effect } from '../../schemas/index.ts';
import { addField, agenteAs, type Edit, PIECES, swap } from './schema-edits.ts';
import { FOURTH_TIPO } from './schema-governance.ts';

const { agente, items, symbols, tipoDoc } = PIECES;
const turnId = (type: string, more = ''): Edit => addField(`{ "name": "turnId", "type": ${type}${more}, "doc": "T." }`);
const UUID = '{ "type": "string", "logicalType": "uuid" }';

/** The change, and every place with its effect. */
export const SCHEMA_CHANGES: readonly (readonly [
  name: string,
  edit: Edit,
  effects: readonly `${string}: ${Effect}`[],
])[] = [
  [
    'a symbol behind the others',
    FOURTH_TIPO,
    ['fields.tipo.type.doc: safe', 'fields.tipo.type.symbols: breaks readers'],
  ],
  [
    'a symbol before the others',
    swap('["laco",', '["novo", "laco",'),
    ['fields.tipo.type.symbols: breaks readers', 'fields.tipo.type.symbols: changes meaning'],
  ],
  ['the last symbol taken out', swap(', "reparo_pelo_usuario"]', ']'), ['fields.tipo.type.symbols: breaks writers']],
  [
    'the first symbol taken out, so that the others move up',
    swap('["laco", ', '['),
    ['fields.tipo.type.symbols: breaks writers', 'fields.tipo.type.symbols: changes meaning'],
  ],
  [
    'a symbol renamed',
    swap('["laco",', '["loop",'),
    ['fields.tipo.type.symbols: breaks readers', 'fields.tipo.type.symbols: breaks writers'],
  ],
  [
    'symbols in another order',
    swap(symbols, '["cancelamento_pelo_usuario", "laco", "reparo_pelo_usuario"]'),
    ['fields.tipo.type.symbols: changes meaning'],
  ],
  [
    'a default for the enum',
    swap(symbols, `${symbols}, "default": "laco"`),
    ['fields.tipo.type.default: changes meaning'],
  ],
  ['a default for the field', swap(tipoDoc, `"default": "laco", ${tipoDoc}`), ['fields.tipo.default: changes meaning']],
  ['an enum of another name', swap('"name": "Tipo"', '"name": "Kind"'), ['fields.tipo.type.name: breaks readers']],
  [
    'a ceiling raised',
    swap('"maxItems": 20', '"maxItems": 50'),
    ['fields.evidenceEventIds.type.maxItems: breaks readers'],
  ],
  [
    'a ceiling lowered',
    swap('"maxItems": 20', '"maxItems": 10'),
    ['fields.evidenceEventIds.type.maxItems: breaks writers'],
  ],
  [
    'a ceiling taken away',
    swap(',\n        "maxItems": 20', ''),
    ['fields.evidenceEventIds.type.maxItems: breaks readers'],
  ],
  [
    'another id kind',
    swap(agente, agente.replace('agent-id', 'uuid')),
    ['fields.agente.type.logicalType: changes meaning'],
  ],
  ['the id kind taken away', agenteAs('{ "type": "string" }'), ['fields.agente.type.logicalType: changes meaning']],
  [
    'another id kind in the list',
    swap(items, items.replace('uuid', 'agent-id')),
    ['fields.evidenceEventIds.type.items.logicalType: changes meaning'],
  ],
  ['another type', agenteAs('"bytes"'), ['fields.agente.type: breaks readers']],
  ['an optional type', agenteAs('["null", "string"]'), ['fields.agente.type: breaks readers']],
  [
    'a field taken out',
    (text) => text.replace(/ {4}\{\s*"name": "agente"[\s\S]*?\n {4}\},\n/, ''),
    ['fields.agente: breaks readers'],
  ],
  [
    'a field renamed',
    swap('"name": "agente"', '"name": "agent"'),
    ['fields.agente: breaks readers', 'fields.agent: breaks readers'],
  ],
  ['an id added without a default', turnId(UUID), ['fields.turnId: breaks readers']],
  [
    'an id added with a default',
    turnId(UUID, ', "default": "00000000-0000-0000-0000-000000000000"'),
    ['fields.turnId: safe'],
  ],
  ['a free string added with a default', turnId('"string"', ', "default": ""'), ['fields.turnId: changes meaning']],
  [
    'a string of an invented kind added with a default',
    turnId('{ "type": "string", "logicalType": "note" }', ', "default": ""'),
    ['fields.turnId: changes meaning'],
  ],
  ['bytes added with a default', turnId('"bytes"', ', "default": ""'), ['fields.turnId: changes meaning']],
  [
    'a map added with a default',
    turnId('{ "type": "map", "values": "long" }', ', "default": {}'),
    ['fields.turnId: changes meaning'],
  ],
  ['an optional string added', turnId('["null", "string"]', ', "default": null'), ['fields.turnId: changes meaning']],
  [
    'a list of free strings added',
    turnId('{ "type": "array", "items": "string" }', ', "default": []'),
    ['fields.turnId: changes meaning'],
  ],
  [
    'a list of ids added',
    turnId(`{ "type": "array", "items": ${UUID}, "maxItems": 20 }`, ', "default": []'),
    ['fields.turnId: safe'],
  ],
  [
    'a field twice',
    addField(`{ ${agente}, "doc": "The agent that deviated: a slug of the catalogue, at most 32 characters." }`),
    ['fields: breaks readers'],
  ],
  [
    'fields in another order',
    (text) =>
      text.replace(
        /( {4}\{\s*"name": "agente"[\s\S]*?\n {4}\},\n)( {4}\{\s*"name": "tipo"[\s\S]*?\n {4}\},\n)/,
        '$2$1',
      ),
    ['fields: safe'],
  ],
  ['the record renamed', swap('"name": "agent_deviation"', '"name": "deviation"'), ['name: breaks readers']],
  ['another namespace', swap('"namespace": "anamnese"', '"namespace": "outra"'), ['name: breaks readers']],
  [
    'an alias of the record',
    swap('"namespace": "anamnese"', '"aliases": ["x"], "namespace": "anamnese"'),
    ['aliases: changes meaning'],
  ],
  ['an alias of a field', swap(tipoDoc, `"aliases": ["x"], ${tipoDoc}`), ['fields.tipo.aliases: changes meaning']],
  [
    'an attribute of a field that nobody knows',
    swap(tipoDoc, `"order": "ignore", ${tipoDoc}`),
    ['fields.tipo: changes meaning'],
  ],
  [
    'an attribute of a type that nobody knows',
    swap('"maxItems": 20', '"maxItems": 20, "minItems": 1'),
    ['fields.evidenceEventIds.type: changes meaning'],
  ],
  [
    'an attribute at the top that nobody knows',
    swap('"namespace": "anamnese"', '"version": 2, "namespace": "anamnese"'),
    [': changes meaning'],
  ],
  ['the doc of the record', (text) => text.replace('An agent of a session', 'One agent of a session'), ['doc: safe']],
  ['the doc of a field', swap(tipoDoc, '"doc": "Other."'), ['fields.tipo.doc: safe']],
  ['white space', (text) => JSON.stringify(JSON.parse(text)), [': safe']],
  [
    'the order of members',
    swap(
      '"namespace": "anamnese",\n  "name": "agent_deviation"',
      '"name": "agent_deviation",\n  "namespace": "anamnese"',
    ),
    [': safe'],
  ],
];
