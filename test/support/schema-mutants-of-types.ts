/** Mutants that `schema lint` refuses for a type, a bound or a vocabulary. */
import { addField, agenteAs, edits, type LintMutant, PIECES, swap } from './schema-edits.ts';

const { agente, items, symbols, tipoDoc } = PIECES;
const actorType =
  '{ "type": "enum", "name": "Actor", "symbols": ["agent_anamnese"], "doc": "agent_anamnese: the Anamnese." }';

export const MUTANTS_OF_TYPES: readonly LintMutant[] = [
  ['a free string', agenteAs('"string"'), ['string-free']],
  ['a string without its id kind', agenteAs('{ "type": "string" }'), ['string-free']],
  [
    'a free string with a default',
    addField('{ "name": "nota", "type": "string", "default": "", "doc": "A note." }'),
    ['string-free'],
  ],
  ['bytes', agenteAs('"bytes"'), ['type-forbidden']],
  [
    'bytes that call themselves a number',
    agenteAs('{ "type": "bytes", "logicalType": "decimal" }'),
    ['type-forbidden'],
  ],
  ['a fixed', agenteAs('{ "type": "fixed", "name": "Id", "size": 16 }'), ['type-forbidden']],
  ['a map', agenteAs('{ "type": "map", "values": "string" }'), ['type-forbidden']],
  ['a float', agenteAs('"float"'), ['type-forbidden']],
  ['a double', agenteAs('"double"'), ['type-forbidden']],
  ['an int', agenteAs('"int"'), ['type-forbidden']],
  ['a boolean', agenteAs('"boolean"'), ['type-forbidden']],
  ['a null', agenteAs('"null"'), ['type-forbidden']],
  ['a bare long', agenteAs('"long"'), ['type-forbidden']],
  ['a long in braces, as bare', agenteAs('{ "type": "long" }'), ['type-forbidden']],
  ['a union with null', agenteAs('["null", { "type": "string", "logicalType": "agent-id" }]'), ['type-forbidden']],
  ['a union of one', agenteAs('[{ "type": "string", "logicalType": "agent-id" }]'), ['type-forbidden']],
  ['a nested record', agenteAs('{ "type": "record", "name": "Agente", "fields": [] }'), ['type-forbidden']],
  ['a type inside a type', agenteAs('{ "type": { "type": "string", "logicalType": "agent-id" } }'), ['type-forbidden']],
  ['a named type used again', addField('{ "name": "autor", "type": "Actor", "doc": "Who." }'), ['type-forbidden']],
  [
    'a named type defined again',
    addField(`{ "name": "autor", "type": ${actorType}, "doc": "Who." }`),
    ['type-name-repeated'],
  ],

  ['an unknown logical type', agenteAs('{ "type": "string", "logicalType": "agent" }'), ['logical-type-unknown']],
  ['a logical type in another case', agenteAs('{ "type": "string", "logicalType": "UUID" }'), ['logical-type-unknown']],
  [
    'a logical type of a prototype',
    agenteAs('{ "type": "string", "logicalType": "constructor" }'),
    ['logical-type-unknown'],
  ],
  [
    'a logical type that is a list',
    agenteAs('{ "type": "string", "logicalType": ["uuid"] }'),
    ['logical-type-unknown'],
  ],
  [
    'a long in microseconds',
    agenteAs('{ "type": "long", "logicalType": "timestamp-micros" }'),
    ['logical-type-unknown'],
  ],
  [
    'the logical type beside the type (B32)',
    swap(agente, '"name": "agente",\n      "type": "string",\n      "logicalType": "agent-id"'),
    ['attribute-unknown', 'string-free'],
  ],

  ['an enum with a default', swap(symbols, `${symbols},\n        "default": "laco"`), ['enum-default']],
  ['an enum with a default of null', swap(symbols, `${symbols},\n        "default": null`), ['enum-default']],
  ['a field of an enum with a default', swap(tipoDoc, `"default": "laco",\n      ${tipoDoc}`), ['enum-default']],
  [
    'a symbol in capitals',
    swap(symbols, '["LACO", "cancelamento_pelo_usuario", "reparo_pelo_usuario"]'),
    ['symbol-style', 'symbols-not-the-vocabulary'],
  ],
  [
    'a symbol in a list of its own',
    swap(symbols, '[["laco"], "cancelamento_pelo_usuario", "reparo_pelo_usuario"]'),
    ['symbol-style'],
  ],
  [
    'a documented symbol that the code does not know',
    edits(
      swap('"reparo_pelo_usuario"]', '"reparo_pelo_usuario", "outro"]'),
      swap('laco: the agent', 'outro: something else. laco: the agent'),
    ),
    ['symbols-not-the-vocabulary'],
  ],
  ['a symbol taken out', swap(', "reparo_pelo_usuario"]', ']'), ['symbols-not-the-vocabulary']],
  [
    'symbols in another order',
    swap(symbols, '["cancelamento_pelo_usuario", "laco", "reparo_pelo_usuario"]'),
    ['symbols-not-the-vocabulary'],
  ],
  ['a symbol twice', swap('["laco",', '["laco", "laco",'), ['symbols-not-the-vocabulary']],
  ['no symbols', swap(symbols, '[]'), ['symbols-not-the-vocabulary']],
  ['symbols that are one text', swap(symbols, '"laco"'), ['symbols-not-the-vocabulary']],
  ['an enum without a closed list', swap('"name": "Tipo"', '"name": "Kind"'), ['symbols-not-the-vocabulary']],
  [
    'an enum named as a member of a prototype',
    swap('"name": "Tipo"', '"name": "toString"'),
    ['symbols-not-the-vocabulary'],
  ],
  ['a symbol without its meaning', swap('laco: the agent repeated', 'The agent repeated'), ['symbol-undocumented']],
  ['a symbol whose meaning is in another word', swap('laco: the agent', 'enlaco: the agent'), ['symbol-undocumented']],

  ['an array without a bound', swap(',\n        "maxItems": 20', ''), ['array-unbounded']],
  ['an array over the ceiling', swap('"maxItems": 20', '"maxItems": 21'), ['array-unbounded']],
  ['an array for nothing', swap('"maxItems": 20', '"maxItems": 0'), ['array-unbounded']],
  ['an array with a negative bound', swap('"maxItems": 20', '"maxItems": -1'), ['array-unbounded']],
  ['an array with half an item', swap('"maxItems": 20', '"maxItems": 1.5'), ['array-unbounded']],
  ['an array whose bound is a text', swap('"maxItems": 20', '"maxItems": "20"'), ['array-unbounded']],
  ['an array of free strings', swap(items, '"items": "string"'), ['string-free']],
  ['an array of numbers', swap(items, '"items": "long"'), ['type-forbidden']],
  ['an array of arrays', swap(items, `"items": { "type": "array", ${items}, "maxItems": 20 }`), ['type-forbidden']],
  [
    'an array of optional ids',
    swap(items, '"items": ["null", { "type": "string", "logicalType": "uuid" }]'),
    ['type-forbidden'],
  ],
  [
    'an array of unknown ids',
    swap(items, '"items": { "type": "string", "logicalType": "guid" }'),
    ['logical-type-unknown'],
  ],
];
