/** `schema check` against the registry: looks up only. */
import { type Contract, type Finding, isSameSchema, levelOf, loadContract, type SchemaText } from '../schemas/index.ts';
import type { Registry } from './registry.ts';

const REGISTRY_RULES = {
  'not-registered': {
    reason: 'producers and consumers look the text up; they do not start without it',
    fix: 'Register it: deviations schema register',
  },
  'level-differs': {
    reason: 'the level is what makes the registry refuse a change of the vocabulary',
    fix: 'Ask who changed it, set it back, then: deviations schema register',
  },
  'version-not-published': {
    reason: 'somebody registered a text that this tree never published',
    fix: 'Find its writer; delete the version, or publish it: deviations schema lock --rn RN-…',
  },
  'version-incompatible': {
    reason: 'by its own level the registry would refuse the text beside this version',
    fix: 'See what differs: deviations schema diff',
  },
} as const;

const finding = (type: string, rule: keyof typeof REGISTRY_RULES, where: string): Finding => ({
  type,
  rule,
  where,
  ...REGISTRY_RULES[rule],
});

const checkSubject = async (
  registry: Registry,
  { type: subject, text }: SchemaText,
  { governance }: Contract,
): Promise<readonly Finding[]> => {
  if ((await registry.idOfText(subject, text)) === undefined) return [finding(subject, 'not-registered', subject)];

  const findings: Finding[] = [];
  const wanted = levelOf(subject, governance.ledger);
  if ((await registry.level(subject)) !== wanted) findings.push(finding(subject, 'level-differs', subject));
  const versions = await registry.versions(subject);
  const published = [text, ...(governance.lock[subject] ?? []).map((one) => one.text)];
  const latest = versions.at(-1)?.version;
  for (const { version, text: theirs } of versions) {
    const where = `${subject} version ${version}`;
    if (!published.some((ours) => isSameSchema(ours, theirs))) {
      findings.push(finding(subject, 'version-not-published', where));
    }
    // Behind a change of the vocabulary only the latest version is held against (design 3.5).
    const isHeld = wanted === 'FULL_TRANSITIVE' || version === latest;
    if (isHeld && !(await registry.isCompatible(subject, version, text))) {
      findings.push(finding(subject, 'version-incompatible', where));
    }
  }
  return findings;
};

/** Rejects with a retriable StreamError when the registry does not answer. */
export const checkRegistered = async (
  registry: Registry,
  contract: Contract = loadContract(),
): Promise<readonly Finding[]> => {
  const findings: Finding[] = [];
  for (const text of contract.texts) findings.push(...(await checkSubject(registry, text, contract)));
  return findings;
};
