/** Lock and ledger as `schema lock` would have written them. */
import {
  AGENT_DEVIATION,
  lockTexts,
  loadSchemaTexts,
  type LedgerEntry,
  readGovernance,
  type SchemaText,
} from '../../schemas/index.ts';
import { type Edit, edits, PIECES, swap, withEdit } from './schema-edits.ts';

export type Governance = ReturnType<typeof readGovernance>;

/** A fourth kind of deviation behind the three, as design 3.5 has a vocabulary change. */
export const FOURTH_TIPO: Edit = edits(
  swap('"reparo_pelo_usuario"]', '"reparo_pelo_usuario", "alucinacao"]'),
  swap('what the agent should have done.', 'what the agent should have done. alucinacao: the agent invented a fact.'),
);

export const FIFTH_TIPO: Edit = edits(
  swap('"alucinacao"]', '"alucinacao", "desvio_de_escopo"]'),
  swap('invented a fact.', 'invented a fact. desvio_de_escopo: the agent did something else.'),
);

/** The texts after each edit, the first being this tree's own; each step locked by the rule beside it. */
export const lockedInSteps = (
  steps: readonly (readonly [rn: string, edit: Edit])[],
): { readonly texts: readonly SchemaText[]; readonly governance: Governance } => {
  let texts: readonly SchemaText[] = loadSchemaTexts();
  let governance = readGovernance();
  let all: Edit = (text) => text;
  for (const [rn, edit] of steps) {
    all = edits(all, edit);
    texts = withEdit(all);
    governance = lockTexts(texts, governance, rn);
  }
  return { texts, governance };
};

/** The entry of the deviation's n-th text, changed by hand. */
export const withEntry = (governance: Governance, nth: number, change: Partial<LedgerEntry>): Governance => {
  const entry = governance.ledger.filter(({ type }) => type === AGENT_DEVIATION)[nth];
  return { ...governance, ledger: governance.ledger.map((one) => (one === entry ? { ...one, ...change } : one)) };
};

/** The deviation's n-th locked text, changed by hand. */
export const withLocked = (
  governance: Governance,
  nth: number,
  change: Partial<{ readonly sha256: string; readonly text: string }>,
): Governance => ({
  ...governance,
  lock: {
    ...governance.lock,
    [AGENT_DEVIATION]: (governance.lock[AGENT_DEVIATION] ?? []).map((one, index) =>
      index === nth ? { ...one, ...change } : one,
    ),
  },
});

export const ANOTHER_DOC: Edit = swap(PIECES.tipoDoc, PIECES.tipoDoc.replace('kind', 'sort'));
