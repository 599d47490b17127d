/** `schema check`, offline: the texts of this tree against the lock file and the ledger. */
import { changesVocabulary, diffSchemas } from './diff.ts';
import type { Finding } from './finding.ts';
import type { SchemaText } from './lint.ts';
import { type Governance, LEVELS_OF_CONTRACT, RN_PATTERN, sentence, sha256Of } from './lock.ts';

export const CHECK_RULES = {
  'text-not-locked': {
    reason: 'the contract changed without a rule that orders it',
    fix: 'Take the change back, or record it: deviations schema lock --rn RN-…',
  },
  'lock-altered': {
    reason: 'a published text was changed afterwards: old records are read by it',
    fix: 'Restore schemas/published.lock.json from the history',
  },
  'ledger-broken': {
    reason: 'every published text has an entry with its rule, its hashes and the level that follows',
    fix: 'Restore schemas/rules.json from the history; only schema lock writes it',
  },
} as const;
export type CheckRule = keyof typeof CHECK_RULES;

const finding = (type: string, rule: CheckRule, where: string): Finding => ({
  type,
  rule,
  where,
  ...CHECK_RULES[rule],
});

const checkChain = (type: string, { lock, ledger }: Governance): readonly Finding[] => {
  const published = lock[type] ?? [];
  const entries = ledger.filter((entry) => entry.type === type);
  const findings: Finding[] = [];
  published.forEach(({ sha256, text }, index) => {
    if (sha256Of(text) !== sha256) findings.push(finding(type, 'lock-altered', `text ${index + 1}`));
    const entry = entries[index];
    const before = published[index - 1];
    const needsFull = before !== undefined && changesVocabulary(diffSchemas(before.text, text));
    const isRight =
      entry !== undefined &&
      entry.after === sha256 &&
      entry.before === (before?.sha256 ?? null) &&
      RN_PATTERN.test(entry.rn) &&
      LEVELS_OF_CONTRACT.includes(entry.level) &&
      (!needsFull || entry.level === 'FULL');
    if (!isRight) findings.push(finding(type, 'ledger-broken', `text ${index + 1}`));
  });
  if (entries.length > published.length) findings.push(finding(type, 'ledger-broken', 'an entry without a text'));
  return findings;
};

/** A text that is no JSON has no structure to compare. */
const attemptDiff = (before: string, after: string): readonly string[] => {
  try {
    return diffSchemas(before, after).map(sentence);
  } catch {
    return ['text: no JSON object'];
  }
};

/** Every text is the last locked one, every locked text is as it was, the ledger is whole. */
export const checkLock = (texts: readonly SchemaText[], governance: Governance): readonly Finding[] =>
  texts.flatMap(({ type, text }) => {
    const findings = [...checkChain(type, governance)];
    const last = governance.lock[type]?.at(-1);
    if (last === undefined) findings.push(finding(type, 'text-not-locked', 'never locked'));
    else if (last.sha256 !== sha256Of(text)) {
      const changes = attemptDiff(last.text, text);
      for (const where of changes) findings.push(finding(type, 'text-not-locked', where));
    }
    return findings;
  });
