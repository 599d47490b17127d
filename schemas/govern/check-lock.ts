/** `schema check`, offline: the texts of this tree against the lock file and the ledger. */
import { type Change, changesVocabulary, diffSchemas } from './diff.ts';
import type { Finding } from './finding.ts';
import type { SchemaText } from './lint.ts';
import { type ContractLevel, type Governance, type PublishedText, sentence, sha256Of } from './lock.ts';
import { RN_PATTERN } from './rn.ts';

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

/** A text that is no JSON has no structure to compare. */
const attemptDiff = (before: string, after: string): readonly Change[] => {
  try {
    return diffSchemas(before, after);
  } catch {
    return [{ where: '', what: 'no JSON object', effect: 'breaks readers' }];
  }
};

/** Once the vocabulary has changed the level is FULL for good; before that a lower one would be a way around (design 3.5). */
const levelsDue = (published: readonly PublishedText[]): readonly ContractLevel[] => {
  let hasChanged = false;
  return published.map(({ text }, index) => {
    const before = published[index - 1];
    hasChanged ||= before !== undefined && changesVocabulary(attemptDiff(before.text, text));
    return hasChanged ? 'FULL' : 'FULL_TRANSITIVE';
  });
};

const checkChain = (type: string, { lock, ledger }: Governance): readonly Finding[] => {
  const published = lock[type] ?? [];
  const entries = ledger.filter((entry) => entry.type === type);
  const isAltered = published.some(({ sha256, text }) => sha256Of(text) !== sha256);
  const levels = levelsDue(published);
  const findings: Finding[] = [];
  published.forEach(({ sha256, text }, index) => {
    if (sha256Of(text) !== sha256) findings.push(finding(type, 'lock-altered', `text ${index + 1}`));
    const entry = entries[index];
    const isRight =
      entry !== undefined &&
      entry.after === sha256 &&
      entry.before === (published[index - 1]?.sha256 ?? null) &&
      RN_PATTERN.test(entry.rn) &&
      // Of an altered text nobody can say what it changed.
      (isAltered || entry.level === levels[index]);
    if (!isRight) findings.push(finding(type, 'ledger-broken', `text ${index + 1}`));
  });
  if (entries.length > published.length) findings.push(finding(type, 'ledger-broken', 'an entry without a text'));
  return findings;
};

/** What was published stays: old records and rows are read by it. */
const typesGone = (texts: readonly SchemaText[], { lock, ledger }: Governance): readonly string[] => {
  const published = new Set([...Object.keys(lock), ...ledger.map(({ type }) => type)]);
  return [...published].filter((type) => !texts.some((text) => text.type === type));
};

/** Every text is the last locked one, every locked text is as it was, the ledger is whole. */
export const checkLock = (texts: readonly SchemaText[], governance: Governance): readonly Finding[] => [
  ...texts.flatMap(({ type, text }) => {
    const findings = [...checkChain(type, governance)];
    const last = governance.lock[type]?.at(-1);
    if (last === undefined) findings.push(finding(type, 'text-not-locked', 'never locked'));
    else if (last.sha256 !== sha256Of(text)) {
      const changes = attemptDiff(last.text, text);
      for (const where of changes.map(sentence)) findings.push(finding(type, 'text-not-locked', where));
    }
    return findings;
  }),
  ...typesGone(texts, governance).map((type) => finding(type, 'text-not-locked', 'published, and no schema any more')),
];
