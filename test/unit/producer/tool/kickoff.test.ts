import { describe, expect, test } from '@jest/globals';
import { checkReport } from '../../../../producer/check-report.ts';
import { KICKOFF_LANGUAGES, kickoffText, reportPolicy, toolDefinition } from '../../../../producer/index.ts';
import { EVIDENCE_CEILING, TIPOS } from '../../../../schemas/index.ts';
import { aContext } from '../../../support/builders.ts';

/** The example call: from the line that opens a brace to the one that closes it. */
const exampleIn = (text: string): string => /^ *\{\n[\s\S]*?^ *\}$/m.exec(text)?.[0] ?? '';

const listed = (text: string): readonly string[] =>
  [...text.matchAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g)].map(([id]) => id);

/** How each language says when to use a tipo, and when not. */
const WHEN = { pt: ['Sim:', 'Não:'], en: ['Yes:', 'No:'] } as const;
/** What the person must not be called for the repair of the example. */
const NO_TRAIT = { pt: 'motor de continuidade', en: 'continuity driver' } as const;

describe.each(KICKOFF_LANGUAGES)('the kickoff text in %s', (language) => {
  const text = kickoffText(language);

  test('names the tool, its fields, the two rules and the ceiling in the words of the contract', () => {
    const words = [toolDefinition.name, ...toolDefinition.inputSchema.required, 'RN-716', 'RN-717', 'emit_proficiency'];
    for (const word of words) expect(text).toContain(word);
    expect(text).toMatch(new RegExp(`\\b${EVIDENCE_CEILING}\\b`));
  });

  test.each(TIPOS)('says when to report %s, and when not', (tipo) => {
    const [yes, no] = WHEN[language];
    expect(text).toMatch(new RegExp(`^ +${tipo} +${yes} .+\\n +${no} .+$`, 'm'));
  });

  test('names no word in the shape of a tipo that is none', () => {
    const known: readonly string[] = [...TIPOS, toolDefinition.name, 'emit_proficiency'];
    const words = text.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? [];
    expect(words.filter((word) => !known.includes(word))).toEqual([]);
    expect(words.length).toBeGreaterThan(known.length);
  });

  test('has an example call that the check accepts whole', async () => {
    const input: unknown = JSON.parse(exampleIn(text));
    const policy = reportPolicy({ agents: ['po'], requireEvidenceLookup: true });
    const ids = listed(exampleIn(text));
    const checked = await checkReport({ context: aContext({ sessionEventIds: ids }), input }, policy);
    expect(checked).toMatchObject({
      fine: true,
      report: {
        agente: 'po',
        tipo: 'reparo_pelo_usuario',
        evidence: { kept: ids, counts: { kept: 2, duplicates: 0, malformed: 0, unknown: 0, overCeiling: 0 } },
        discardedFields: 0,
      },
    });
  });

  test('copies the evidence of its example from the events that it tells of', () => {
    const example = exampleIn(text);
    const story = text.replace(example, '');
    expect(listed(example)).toHaveLength(2);
    expect(listed(story)).toEqual(listed(example));
  });

  test('says that the person of the example is not to be called what the repair looks like', () => {
    const afterExample = text.slice(text.indexOf(exampleIn(text)));
    expect(afterExample).toMatch(new RegExp(`(NÃO|NOT)[^\\n]*"${NO_TRAIT[language]}"`));
  });

  test('fits on a screen', () => {
    const lines = text.split('\n');
    expect(lines.length).toBeLessThan(45);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(120);
  });
});

test('both kickoff texts show the same call', () => {
  expect(exampleIn(kickoffText('pt'))).toBe(exampleIn(kickoffText('en')));
});
