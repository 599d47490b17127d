import { describe, expect, test } from '@jest/globals';
import { checkReport } from '../../../producer/check-report.ts';
import { REFUSAL_CODES, type RefusalCode, refused, reportPolicy } from '../../../producer/index.ts';
import { TIPOS } from '../../../schemas/index.ts';
import { AGENTES, aContext, anInput, aReport, type ReportParts, uuids } from '../../support/builders.ts';

/** The constant answers, word for word: models have learnt from them. */
const MESSAGES = {
  REPORT_UNREADABLE: 'Not recorded: the report is not one JSON object on a line of at most 16 MiB of UTF-8.',
  CONTEXT_INVALID:
    'Not recorded: the context that the engine gives with this call is incomplete or wrong. Do not repeat the call; the engine must be corrected.',
  INPUT_NOT_AN_OBJECT:
    'Not recorded: the arguments must be one JSON object with agente, tipo and evidenceEventIds. Call again with such an object, not with a text or a list.',
  TIPO_UNKNOWN:
    'Not recorded: tipo must be exactly one of laco, cancelamento_pelo_usuario, reparo_pelo_usuario, at the top level of the arguments. Call again with one of them.',
  AGENTE_UNKNOWN:
    "Not recorded: agente must be the slug of one of this product's agents (lower-case letters, digits and single hyphens), at the top level of the arguments. Call again with the agent's slug, not its display name and never a person's name.",
  EVIDENCE_NOT_A_LIST:
    'Not recorded: evidenceEventIds must be a list of event ids. Call again with a list; it may be empty.',
  EVIDENCE_TOO_LONG:
    'Not recorded: evidenceEventIds may hold at most 1000 entries. Call again with the 20 that show the deviation best.',
  OUTBOX_FULL: 'Not recorded: too many reports are waiting to be sent. Call again later with the same arguments.',
  OUTBOX_UNAVAILABLE:
    'Not recorded: the report could not be stored now. Call again later with the same arguments; calling again is safe.',
  CLOSED: 'Not recorded: the session engine is shutting down and takes no more reports.',
} as const satisfies Record<RefusalCode, string>;

const policy = reportPolicy({ agents: AGENTES });

const codeFor = async (report: ReportParts): Promise<string> => {
  const checked = await checkReport(report, policy);
  return checked.fine ? 'fine' : checked.code;
};

describe('a refusal', () => {
  test('is one of the ten of the design, in the order of the checks', () => {
    expect(REFUSAL_CODES).toEqual(Object.keys(MESSAGES));
  });

  test.each(REFUSAL_CODES)('%s is one constant answer, without counts', (code) => {
    expect(refused(code)).toStrictEqual({ recorded: false, code, message: MESSAGES[code] });
  });
});

/** What breaks one rule and no other, in the order of the checks. */
const FAULTS: readonly (readonly [RefusalCode, (report: ReportParts) => ReportParts])[] = [
  ['CONTEXT_INVALID', (report) => ({ ...report, context: aContext({ sessionId: 'no id' }) })],
  ['TIPO_UNKNOWN', (report) => withInput(report, { tipo: 'Laço' })],
  ['AGENTE_UNKNOWN', (report) => withInput(report, { agente: 'Desenvolvedor' })],
  ['EVIDENCE_NOT_A_LIST', (report) => withInput(report, { evidenceEventIds: uuids(1)[0] })],
  ['EVIDENCE_TOO_LONG', (report) => withInput(report, { evidenceEventIds: uuids(1_001) })],
];

function withInput(report: ReportParts, given: Readonly<Record<string, unknown>>): ReportParts {
  return { ...report, input: { ...(report.input as object), ...given } }; // only objects are given here
}

describe('the order of the checks', () => {
  test.each(FAULTS)('%s is answered to a report with that fault alone', async (code, spoil) => {
    expect(await codeFor(spoil(aReport()))).toBe(code);
  });

  const pairs = FAULTS.flatMap(([first, spoilFirst], index) =>
    FAULTS.slice(index + 1)
      // A list cannot be none and too long at once.
      .filter(([second]) => !(first === 'EVIDENCE_NOT_A_LIST' && second === 'EVIDENCE_TOO_LONG'))
      .map(([second, spoilSecond]) => ({ first, second, report: spoilFirst(spoilSecond(aReport())) })),
  );

  test.each(pairs)('puts $first before $second', async ({ first, report }) => {
    expect(await codeFor(report)).toBe(first);
  });

  test('puts CONTEXT_INVALID before INPUT_NOT_AN_OBJECT', async () => {
    expect(await codeFor({ context: aContext({ projectId: null }), input: 'text' })).toBe('CONTEXT_INVALID');
    expect(await codeFor({ context: aContext(), input: 'text' })).toBe('INPUT_NOT_AN_OBJECT');
  });
});

describe('an input', () => {
  test.each([
    ['a JSON text', JSON.stringify(anInput())],
    ['a list of reports', [anInput()]],
    ['nothing', undefined],
    ['null', null],
    ['a number', 7],
    ['a function', () => anInput()],
    ['a map', new Map(Object.entries(anInput()))],
    ['a date', new Date(0)],
    ['an object of a class', Object.assign(new (class Said {})(), anInput())],
    ['an object whose fields are inherited', Object.create(anInput()) as unknown],
  ])('that is %s is refused, never unwrapped', async (_, input) => {
    expect(await codeFor({ context: aContext(), input })).toBe('INPUT_NOT_AN_OBJECT');
  });

  test.each(['arguments', 'input', 'parameters', 'report'])('wrapped as %p is not unwrapped', async (name) => {
    expect(await codeFor({ context: aContext(), input: { [name]: anInput() } })).toBe('TIPO_UNKNOWN');
  });

  test('without a prototype is as good as any', async () => {
    expect(await codeFor({ context: aContext(), input: Object.assign(Object.create(null), anInput()) })).toBe('fine');
  });

  test.each([
    'LACO',
    ' laco',
    'laco ',
    'laço',
    'lac\u043e',
    'la\u200bco',
    'constructor',
    '__proto__',
    '',
    null,
    undefined,
    0,
    ['laco'],
    { toString: () => 'laco' },
  ])('with %p as its tipo is refused: nothing is folded, trimmed or guessed', async (tipo) => {
    expect(await codeFor(aReport({ input: anInput({ tipo }) }))).toBe('TIPO_UNKNOWN');
  });

  test.each([
    'Desenvolvedor',
    ' desenvolvedor',
    'desenvolvedor\n',
    'desenvolvedor-',
    'testador',
    'constructor',
    '',
    null,
    7,
    ['desenvolvedor'],
  ])('with %p as its agente is refused', async (agente) => {
    expect(await codeFor(aReport({ input: anInput({ agente }) }))).toBe('AGENTE_UNKNOWN');
  });

  test.each(TIPOS)('with the tipo %s is taken', async (tipo) => {
    expect(await codeFor(aReport({ input: anInput({ tipo }) }))).toBe('fine');
  });

  test.each([
    ['a missing list', undefined, 'fine'],
    ['null', null, 'fine'],
    ['1,000 items', uuids(1_000), 'fine'],
    ['1,001 items', uuids(1_001), 'EVIDENCE_TOO_LONG'],
    ['a text', '[]', 'EVIDENCE_NOT_A_LIST'],
    ['an object', {}, 'EVIDENCE_NOT_A_LIST'],
    ['false', false, 'EVIDENCE_NOT_A_LIST'],
    ['a set', new Set(uuids(1)), 'EVIDENCE_NOT_A_LIST'],
  ])('with %s as its evidence is %3$s', async (_, evidenceEventIds, outcome) => {
    expect(await codeFor(aReport({ input: anInput({ evidenceEventIds }) }))).toBe(outcome);
  });
});
