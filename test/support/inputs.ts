/** The input sets of `test/input`, line by line, each report with the outcome it must have. */
import type { ReportContext } from '../../producer/index.ts';
import { textOf } from './source-files.ts';

export interface InputReport {
  readonly context: ReportContext;
  readonly input: unknown;
}

export interface Expected {
  readonly line: number;
  readonly outcome: 'recorded' | 'refused';
  readonly agente?: string;
  readonly tipo?: string;
  readonly discardedFields?: number;
  readonly evidence?: Readonly<Record<string, number>>;
  readonly evidenceEventIds?: readonly string[];
  readonly why?: readonly string[];
  readonly sameEventAsLine?: number;
}

export const INPUT_SETS = ['traces', 'model'] as const;
export type InputSet = (typeof INPUT_SETS)[number];

const linesOf = (file: string): readonly string[] =>
  textOf(`test/input/${file}`)
    .split('\n')
    .filter((line) => line !== '');

/** The files are our own, described in `test/input/README.md`. */
export const reportLines = (set: InputSet): readonly string[] => linesOf(`${set}.reports.ndjson`);
export const reportsOf = (set: InputSet): readonly InputReport[] =>
  reportLines(set).map((line) => JSON.parse(line) as InputReport);
export const expectedOf = (set: InputSet): readonly Expected[] =>
  linesOf(`${set}.expected.ndjson`).map((line) => JSON.parse(line) as Expected);

export const INPUT_AGENTS = linesOf('agents.txt');
/** Every personal detail in the model's reports; none may come out anywhere. */
export const DETAILS = linesOf('details.txt');

const CODES_OF_WORDS: Readonly<Record<string, string>> = {
  'input-not-an-object': 'INPUT_NOT_AN_OBJECT',
  'tipo-missing': 'TIPO_UNKNOWN',
  'tipo-not-in-the-vocabulary': 'TIPO_UNKNOWN',
  'agente-missing': 'AGENTE_UNKNOWN',
  'agente-not-a-slug': 'AGENTE_UNKNOWN',
  'agente-not-in-the-catalogue': 'AGENTE_UNKNOWN',
  'evidence-not-a-list': 'EVIDENCE_NOT_A_LIST',
};

/** Everything that is wrong with a line, as codes. */
export const codesOf = ({ why = [] }: Expected): readonly string[] =>
  why.map((word) => {
    const code = CODES_OF_WORDS[word];
    if (code === undefined) throw new Error(`no code belongs to the word ${word}`);
    return code;
  });
