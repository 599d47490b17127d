import { describe, expect, test } from '@jest/globals';
import { dryRun, REFUSAL_CODES, reportPolicy } from '../../../producer/index.ts';
import { TIPOS } from '../../../schemas/index.ts';
import {
  codesOf,
  DETAILS,
  expectedOf,
  INPUT_AGENTS,
  INPUT_SETS,
  reportLines,
  reportsOf,
} from '../../support/inputs.ts';

const policy = reportPolicy({ agents: INPUT_AGENTS });
const LENGTHS = { traces: 129, model: 67 } as const;

describe.each(INPUT_SETS)('the %s input set', (set) => {
  const expected = expectedOf(set);
  const judged = Promise.all(reportsOf(set).map((report) => dryRun(report, policy)));

  test('is there whole, each report with its outcome', () => {
    expect(expected.map(({ line }) => line)).toEqual(Array.from({ length: LENGTHS[set] }, (_, index) => index + 1));
    expect(reportLines(set)).toHaveLength(LENGTHS[set]);
    expect(expected.filter(({ outcome }) => outcome === 'recorded').length).toBeGreaterThan(0);
  });

  test.each(expected)('line $line is $outcome', async (line) => {
    const answer = (await judged)[line.line - 1];
    if (answer === undefined) throw new Error('the line has no answer');
    if (!answer.recorded) {
      const codes = codesOf(line);
      expect(line.outcome).toBe('refused');
      expect(answer.code).toBe(REFUSAL_CODES.find((code) => codes.includes(code)));
      expect(Object.keys(answer)).toEqual(['recorded', 'code', 'message']);
      return;
    }
    const { agente, tipo, evidenceEventIds } = answer.record.decoded;
    expect({
      outcome: 'recorded',
      agente,
      tipo,
      evidenceEventIds,
      discardedFields: answer.discardedFields,
      evidence: answer.evidence,
    }).toEqual({
      outcome: line.outcome,
      agente: line.agente,
      tipo: line.tipo,
      evidenceEventIds: line.evidenceEventIds,
      discardedFields: line.discardedFields,
      evidence: line.evidence,
    });
    expect(TIPOS).toContain(tipo);
  });

  test('has the same event for the same call, and another one for every other', async () => {
    const idOf = new Map<number, string>();
    for (const [index, answer] of (await judged).entries()) if (answer.recorded) idOf.set(index + 1, answer.eventId);
    const repeats = expected.filter(({ line, sameEventAsLine }) => sameEventAsLine !== undefined && idOf.has(line));
    expect(repeats.length).toBeGreaterThan(0);
    for (const { line, sameEventAsLine = 0 } of repeats) expect(idOf.get(line)).toBe(idOf.get(sameEventAsLine));
    const firsts = expected.filter(({ line, sameEventAsLine }) => sameEventAsLine === undefined && idOf.has(line));
    expect(new Set(firsts.map(({ line }) => idOf.get(line))).size).toBe(firsts.length);
  });

  test('leaves none of its personal details in an answer or a record, in text or in bytes', async () => {
    const said = JSON.stringify(await judged);
    const records = (await judged).flatMap((answer) =>
      answer.recorded ? [Buffer.from(answer.record.value, 'hex').toString('latin1')] : [],
    );
    const bytes = records.join('\n');
    const asLatin1 = (detail: string): string => Buffer.from(detail).toString('latin1');
    expect(DETAILS.filter((detail) => said.includes(detail) || bytes.includes(asLatin1(detail)))).toEqual([]);
  });
});

test('the personal details do stand in the reports, so that looking for them can find something', () => {
  const reports = reportLines('model').join('\n');
  expect(DETAILS.length).toBeGreaterThan(20);
  expect(DETAILS.filter((detail) => !reports.includes(detail))).toEqual([]);
});
