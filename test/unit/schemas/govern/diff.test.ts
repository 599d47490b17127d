import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isSameSchema } from '../../../../schemas/govern/diff.ts';
import { changesVocabulary, diffSchemas, EFFECTS, loadSchemaTexts } from '../../../../schemas/index.ts';
import { type Edit, edited, edits } from '../../../support/schema-edits.ts';
import { SCHEMA_CHANGES } from '../../../support/schema-changes.ts';
import { LINT_MUTANTS, LOCK_MUTANTS } from '../../../support/schema-mutants.ts';

const BEFORE = edited((text) => text);
const effectsOf = (edit: Edit): readonly string[] =>
  diffSchemas(BEFORE, edited(edit)).map(({ where, effect }) => `${where}: ${effect}`);

/** Rows that touch places of their own, so that any of them can be made together. */
const TOGETHER = [
  'a ceiling raised',
  'another id kind',
  'a symbol behind the others',
  'an id added with a default',
  'another namespace',
  'the doc of the record',
];
const isAlone = (index: number): boolean => TOGETHER.includes(SCHEMA_CHANGES[index]?.[0] ?? '');

describe('schema diff', () => {
  test.each(SCHEMA_CHANGES)('%s', (_name, edit, effects) => {
    expect(effectsOf(edit)).toEqual(effects);
  });

  test('has every effect in its table', () => {
    const seen = new Set(SCHEMA_CHANGES.flatMap(([, , effects]) => effects.map((one) => one.replace(/^.*: /, ''))));
    expect([...seen].sort()).toEqual([...EFFECTS].sort());
  });

  test('of a text with itself is empty', () => {
    for (const { text } of loadSchemaTexts()) expect(diffSchemas(text, text)).toEqual([]);
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(diffSchemas(text, text)).toEqual([]);
      }),
    );
  });

  const mutants = [...LINT_MUTANTS, ...LOCK_MUTANTS].map(([name, edit]) => [name, edited(edit)] as const);
  const isObjectText = (text: string): boolean => {
    try {
      const value: unknown = JSON.parse(text);
      return typeof value === 'object' && value !== null;
    } catch {
      return false;
    }
  };

  test.each(mutants.filter(([, text]) => isObjectText(text)))('sees %s, in both directions', (_name, text) => {
    expect(diffSchemas(BEFORE, text).length).toBeGreaterThan(0);
    expect(diffSchemas(text, BEFORE).length).toBeGreaterThan(0);
  });

  test('calls two edits that are made at two places both', () => {
    fc.assert(
      fc.property(fc.subarray([...SCHEMA_CHANGES.keys()].filter(isAlone), { minLength: 1 }), (chosen) => {
        const rows = chosen.map((index) => SCHEMA_CHANGES[index]).filter((row) => row !== undefined);
        expect(new Set(effectsOf(edits(...rows.map(([, edit]) => edit))))).toEqual(
          new Set(rows.flatMap(([, , effects]) => effects)),
        );
      }),
    );
  });

  test('tells a change of the vocabulary from every other', () => {
    const vocabulary = SCHEMA_CHANGES.filter(([, edit]) => changesVocabulary(diffSchemas(BEFORE, edited(edit))));
    expect(vocabulary.map(([name]) => name)).toEqual([
      'a symbol behind the others',
      'a symbol before the others',
      'the last symbol taken out',
      'the first symbol taken out, so that the others move up',
      'a symbol renamed',
    ]);
  });

  test('takes two writings of one schema for the same, and nothing else', () => {
    const same = SCHEMA_CHANGES.filter(([, edit]) => isSameSchema(BEFORE, edited(edit)));
    expect(same.map(([name]) => name)).toEqual(['white space', 'the order of members']);
    expect(isSameSchema(BEFORE, BEFORE)).toBe(true);
  });
});
