/** Schemas that must not become contracts: each a small edit of anamnese.agent_deviation.avsc, with the rules it breaks. */
import { addField, type Edit, type LintMutant, PIECES, swap } from './schema-edits.ts';
import { MUTANTS_OF_NAMES } from './schema-mutants-of-names.ts';
import { MUTANTS_OF_TYPES } from './schema-mutants-of-types.ts';

export const LINT_MUTANTS: readonly LintMutant[] = [...MUTANTS_OF_TYPES, ...MUTANTS_OF_NAMES];

const { agente, items } = PIECES;

/** Right in themselves, and yet another contract than the published one: only the lock tells. */
export const LOCK_MUTANTS: readonly (readonly [name: string, edit: Edit])[] = [
  ['a lower ceiling', swap('"maxItems": 20', '"maxItems": 19')],
  ['another id kind', swap(agente, agente.replace('agent-id', 'uuid'))],
  ['another id kind in the list', swap(items, items.replace('uuid', 'agent-id'))],
  ['a field renamed', swap('"name": "agente"', '"name": "agent"')],
  [
    'a field added',
    addField('{ "name": "turnId", "type": { "type": "string", "logicalType": "uuid" }, "doc": "The turn." }'),
  ],
  ['a field taken out', (text) => text.replace(/,\s*\{\s*"name": "evidenceEventIds"[\s\S]*\n {4}\}\n/, '\n')],
  [
    'fields in another order',
    (text) =>
      text.replace(
        /( {4}\{\s*"name": "agente"[\s\S]*?\n {4}\},\n)( {4}\{\s*"name": "tipo"[\s\S]*?\n {4}\},\n)/,
        '$2$1',
      ),
  ],
  ['a default for the list', swap('"maxItems": 20\n      }', '"maxItems": 20\n      },\n      "default": []')],
  ['the doc of a field alone', swap('The kind of deviation:', 'The sort of deviation:')],
  ['the doc of a symbol alone', swap('without progress', 'with no progress')],
  ['white space alone', (text) => JSON.stringify(JSON.parse(text))],
  ['a line end alone', (text) => text.trimEnd()],
  [
    'the order of members alone',
    swap(
      '"namespace": "anamnese",\n  "name": "agent_deviation"',
      '"name": "agent_deviation",\n  "namespace": "anamnese"',
    ),
  ],
];
