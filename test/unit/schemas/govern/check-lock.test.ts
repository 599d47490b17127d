import { describe, expect, test } from '@jest/globals';
import {
  AGENT_DEVIATION,
  checkLock,
  loadSchemaTexts,
  readGovernance,
  type SchemaText,
} from '../../../../schemas/index.ts';
import { edited, withEdit } from '../../../support/schema-edits.ts';
import {
  ANOTHER_DOC,
  FIFTH_TIPO,
  FOURTH_TIPO,
  type Governance,
  lockedInSteps,
  withEntry,
  withLocked,
} from '../../../support/schema-governance.ts';
import { LINT_MUTANTS, LOCK_MUTANTS } from '../../../support/schema-mutants.ts';

const REAL: Tree = { texts: loadSchemaTexts(), governance: readGovernance() };
const TWO_TEXTS: Tree = lockedInSteps([['RN-900', FOURTH_TIPO]]);
const FOUR_TEXTS: Tree = lockedInSteps([
  ['RN-900', FOURTH_TIPO],
  ['RN-901', ANOTHER_DOC],
  ['RN-902', FIFTH_TIPO],
]);

const MUTANTS = [...LOCK_MUTANTS, ...LINT_MUTANTS].map(([name, edit]) => [name, edit] as const);

interface Tree {
  readonly texts: readonly SchemaText[];
  readonly governance: Governance;
}

const rules = ({ texts, governance }: Tree): readonly string[] => [
  ...new Set(checkLock(texts, governance).map(({ rule }) => rule)),
];

describe('schema check, offline', () => {
  test('has nothing to say about this tree, nor about one whose changes were all locked', () => {
    expect(checkLock(REAL.texts, REAL.governance)).toEqual([]);
    expect(checkLock(TWO_TEXTS.texts, TWO_TEXTS.governance)).toEqual([]);
    expect(checkLock(FOUR_TEXTS.texts, FOUR_TEXTS.governance)).toEqual([]);
  });

  test('ends at FULL once the vocabulary has changed, and stays there', () => {
    expect(
      FOUR_TEXTS.governance.ledger.filter(({ type }) => type === AGENT_DEVIATION).map(({ rn, level }) => [rn, level]),
    ).toEqual([
      ['ADR-0205', 'FULL_TRANSITIVE'],
      ['RN-900', 'FULL'],
      ['RN-901', 'FULL'],
      ['RN-902', 'FULL'],
    ]);
  });

  test.each(MUTANTS)('refuses %s without a rule that orders it', (_name, edit) => {
    const findings = checkLock(withEdit(edit), REAL.governance);
    expect(findings.length).toBeGreaterThan(0);
    expect(new Set(findings.map(({ type, rule }) => `${type} ${rule}`))).toEqual(
      new Set([`${AGENT_DEVIATION} text-not-locked`]),
    );
  });

  test('refuses going back to an older text', () => {
    expect(rules({ texts: REAL.texts, governance: TWO_TEXTS.governance })).toEqual(['text-not-locked']);
  });

  test('refuses a type that was never locked, and a published one that is gone', () => {
    const [first, ...others] = REAL.texts;
    const invented = { type: 'anamnese.invented', text: first?.text ?? '' };
    expect(checkLock([...REAL.texts, invented], REAL.governance)).toMatchObject([
      { type: 'anamnese.invented', rule: 'text-not-locked', where: 'never locked' },
    ]);
    expect(checkLock(others, REAL.governance)).toMatchObject([{ type: AGENT_DEVIATION, rule: 'text-not-locked' }]);
  });

  const altered: readonly (readonly [
    name: string,
    tree: Tree,
    change: (governance: Governance) => Governance,
    rule: string,
  ])[] = [
    ['a locked text that is none', TWO_TEXTS, (all) => withLocked(all, 0, { text: 'x' }), 'lock-altered'],
    [
      'a locked text with other white space',
      REAL,
      (all) => withLocked(all, 0, { text: `${REAL.texts[0]?.text} ` }),
      'lock-altered',
    ],
    [
      'an older text with another word',
      TWO_TEXTS,
      (all) => withLocked(all, 0, { text: edited(FOURTH_TIPO) }),
      'lock-altered',
    ],
    ['an entry of another after-hash', REAL, (all) => withEntry(all, 0, { after: '0'.repeat(64) }), 'ledger-broken'],
    [
      'an entry of another before-hash',
      TWO_TEXTS,
      (all) => withEntry(all, 1, { before: '0'.repeat(64) }),
      'ledger-broken',
    ],
    [
      'a second entry that calls itself the first',
      TWO_TEXTS,
      (all) => withEntry(all, 1, { before: null }),
      'ledger-broken',
    ],
    [
      'a first entry with a text before it',
      REAL,
      (all) => withEntry(all, 0, { before: '0'.repeat(64) }),
      'ledger-broken',
    ],
    ['an entry without a rule', TWO_TEXTS, (all) => withEntry(all, 1, { rn: '' }), 'ledger-broken'],
    [
      'an entry with a rule of no form',
      TWO_TEXTS,
      (all) => withEntry(all, 1, { rn: 'RN-900 and more' }),
      'ledger-broken',
    ],
    [
      'a vocabulary change that stays at FULL_TRANSITIVE',
      TWO_TEXTS,
      (all) => withEntry(all, 1, { level: 'FULL_TRANSITIVE' }),
      'ledger-broken',
    ],
    [
      'a level lowered without a vocabulary change',
      REAL,
      (all) => withEntry(all, 0, { level: 'FULL' }),
      'ledger-broken',
    ],
    [
      'a level raised again behind a vocabulary change',
      FOUR_TEXTS,
      (all) => withEntry(all, 2, { level: 'FULL_TRANSITIVE' }),
      'ledger-broken',
    ],
    ['an entry that is gone', TWO_TEXTS, (all) => ({ ...all, ledger: REAL.governance.ledger }), 'ledger-broken'],
    ['no ledger at all', TWO_TEXTS, (all) => ({ ...all, ledger: [] }), 'ledger-broken'],
    ['entries twice', REAL, (all) => ({ ...all, ledger: [...all.ledger, ...all.ledger] }), 'ledger-broken'],
    ['entries in another order', TWO_TEXTS, (all) => ({ ...all, ledger: all.ledger.toReversed() }), 'ledger-broken'],
  ];
  test.each(altered)('refuses %s', (_name, { texts, governance }, change, rule) => {
    expect(rules({ texts, governance: change(governance) })).toEqual([rule]);
  });

  test('a hash altered together with its text breaks the ledger instead', () => {
    const text = `${REAL.texts[0]?.text} `;
    const { sha256 } = lockedInSteps([['RN-900', () => text]]).governance.lock[AGENT_DEVIATION]?.[1] ?? { sha256: '' };
    const governance = withLocked(REAL.governance, 0, { text, sha256 });
    expect(rules({ texts: withEdit(() => text), governance })).toEqual(['ledger-broken']);
  });

  test('an older locked text that is missing is noticed by the entry it leaves behind', () => {
    const [, second] = TWO_TEXTS.governance.lock[AGENT_DEVIATION] ?? [];
    const lock = { ...TWO_TEXTS.governance.lock, [AGENT_DEVIATION]: second === undefined ? [] : [second] };
    expect(rules({ texts: TWO_TEXTS.texts, governance: { ...TWO_TEXTS.governance, lock } })).toEqual(['ledger-broken']);
  });

  test('an empty lock and ledger pass for nothing', () => {
    expect(checkLock(REAL.texts, { lock: {}, ledger: [] }).map(({ rule, where }) => [rule, where])).toEqual(
      REAL.texts.map(() => ['text-not-locked', 'never locked']),
    );
  });
});
