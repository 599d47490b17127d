import { describe, expect, test } from '@jest/globals';
import { LINT_RULES } from '../../../../schemas/govern/lint-rules.ts';
import { EVENT_TYPES, lintSchemas, loadSchemaTexts, type SchemaText } from '../../../../schemas/index.ts';
import { edited, swap, withEdit } from '../../../support/schema-edits.ts';
import { LINT_MUTANTS, LOCK_MUTANTS } from '../../../support/schema-mutants.ts';

const rulesBroken = (texts: readonly SchemaText[]): readonly string[] => [
  ...new Set(lintSchemas(texts).map(({ rule }) => rule)),
];

describe('schema lint', () => {
  test('has nothing to say about the schemas of this tree, together or alone', () => {
    expect(lintSchemas(loadSchemaTexts())).toEqual([]);
    for (const text of loadSchemaTexts()) expect(lintSchemas([text])).toEqual([]);
  });

  test.each(LINT_MUTANTS)('refuses %s', (_name, edit, breaks) => {
    const texts = withEdit(edit);
    expect([...rulesBroken(texts)].sort()).toEqual([...breaks].sort());
    const blamed = new Set(lintSchemas(texts).map(({ type }) => type));
    if (!breaks.includes('envelope-differs')) expect([...blamed]).toEqual(['anamnese.agent_deviation']);
  });

  test.each(LOCK_MUTANTS)('leaves %s to the lock', (_name, edit) => {
    expect(rulesBroken(withEdit(edit))).toEqual([]);
  });

  test('has a mutant for each of its rules, and no two that are the same text', () => {
    const tried = new Set(LINT_MUTANTS.flatMap(([, , breaks]) => breaks));
    expect([...tried].sort()).toEqual(Object.keys(LINT_RULES).sort());
    const texts = new Set([...LINT_MUTANTS, ...LOCK_MUTANTS].map(([, edit]) => edited(edit)));
    expect(texts.size).toBe(LINT_MUTANTS.length + LOCK_MUTANTS.length);
  });

  test.each([
    ['another name', '"name": "projectId",', '"name": "workspaceId",'],
    ['a default', '"name": "projectId",', '"name": "projectId", "default": "a1b2c3d4-0000-4000-8000-00000000000a",'],
  ])('refuses an envelope that got %s in every file alike', (_name, from, to) => {
    const everywhere = loadSchemaTexts().map(({ type, text }) => ({ type, text: swap(from, to)(text) }));
    expect(lintSchemas(everywhere).map(({ type, rule }) => [type, rule])).toEqual(
      EVENT_TYPES.map((type) => [type, 'envelope-differs']),
    );
  });

  test('refuses a dotted name also in a file of that name, where Avro would drop the namespace', () => {
    const text = edited(swap('"name": "agent_deviation"', '"name": "agent.deviation"'));
    expect(rulesBroken([{ type: 'anamnese.agent.deviation', text }])).toEqual(['name-is-not-the-event-type']);
  });

  test('blames the file whose envelope is wrong, also when it is the first', () => {
    const texts = withEdit(swap('"name": "projectId"', '"name": "workspaceId"'));
    expect(lintSchemas(texts).map(({ type }) => type)).toEqual(['anamnese.agent_deviation']);
  });

  test('says why and what to do, and repeats no value of the file', () => {
    for (const [, edit] of LINT_MUTANTS) {
      for (const { reason, fix, where } of lintSchemas(withEdit(edit))) {
        expect(reason).toMatch(/\w{3}/);
        expect(fix).toMatch(/\w{3}/);
        expect(`${reason}${fix}${where}`).not.toContain('Maria');
      }
    }
  });

  test('tells the place of each finding inside the schema', () => {
    const places = new Map(
      LINT_MUTANTS.map(([name, edit]) => [name, lintSchemas(withEdit(edit)).map(({ where }) => where)]),
    );
    expect(places.get('an array without a bound')).toEqual(['fields.evidenceEventIds.type']);
    expect(places.get('an array of free strings')).toEqual(['fields.evidenceEventIds.type.items']);
    expect(places.get('symbols in another order')).toEqual(['fields.tipo.type.symbols']);
    expect(places.get('a member twice in a type')).toEqual(['fields[7].type.maxItems']);
    expect(places.get('a field without a name')).toEqual(['fields.?']);
  });
});
