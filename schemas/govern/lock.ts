/**
 * The lock file (every text ever published, letter for letter) and the ledger (every change and the rule that ordered
 * it). `deviations schema lock` is the only writer of both. A running program reads the lock: old records and rows of old
 * texts stay readable by it.
 */
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Change, changesVocabulary, diffSchemas } from './diff.ts';
import type { SchemaText } from './lint.ts';

/** Compatibility levels of the registry that this contract ever stands at. */
const LEVELS_OF_CONTRACT = ['FULL_TRANSITIVE', 'FULL'] as const;
export type ContractLevel = (typeof LEVELS_OF_CONTRACT)[number];

export interface PublishedText {
  /** SHA-256 of the text's UTF-8 bytes, lower-case hexadecimal. */
  readonly sha256: string;
  readonly text: string;
}

/** By event type, the oldest first. */
export type Lock = Readonly<Record<string, readonly PublishedText[]>>;

export interface LedgerEntry {
  /** The rule that ordered the change: `RN-…`, or the ADR for the first text. */
  readonly rn: string;
  readonly type: string;
  readonly what: readonly string[];
  /** Hash of the text before; null for the first one. */
  readonly before: string | null;
  readonly after: string;
  /** The subject's level once the change is registered. */
  readonly level: ContractLevel;
}

export interface Governance {
  readonly lock: Lock;
  readonly ledger: readonly LedgerEntry[];
}

/** What a tree says now, and what it ever said. */
export interface Contract {
  readonly texts: readonly SchemaText[];
  readonly governance: Governance;
}

export const sha256Of = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

const FILES = { lock: 'published.lock.json', ledger: 'rules.json' } as const;
const HERE = join(import.meta.dirname, '..');

const readJson = <T>(file: string, empty: T): T => {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T; // written by `writeGovernance` alone; `checkLock` verifies it
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return empty;
    throw error;
  }
};

export const readGovernance = (folder: string = HERE): Governance => ({
  lock: readJson(join(folder, FILES.lock), {}),
  ledger: readJson(join(folder, FILES.ledger), []),
});

/** Whole or not at all: a reader never sees half a file. */
export const writeGovernance = ({ lock, ledger }: Governance, folder: string = HERE): void => {
  for (const [name, content] of [
    [FILES.ledger, ledger],
    [FILES.lock, lock],
  ] as const) {
    const file = join(folder, name);
    writeFileSync(`${file}.new`, `${JSON.stringify(content, null, 2)}\n`);
    renameSync(`${file}.new`, file);
  }
};

/** A change as the ledger words it. */
export const sentence = ({ where, what, effect }: Change): string =>
  `${where === '' ? 'text' : where}: ${what} (${effect})`;

/** The level the subject must stand at now, by the last entry of the ledger. */
export const levelOf = (type: string, ledger: readonly LedgerEntry[]): ContractLevel =>
  ledger.findLast((entry) => entry.type === type)?.level ?? 'FULL_TRANSITIVE';

/** The rule that ordered the last change of the type's vocabulary; undefined when it never changed. */
export const vocabularyRuleOf = (type: string, { lock, ledger }: Governance): string | undefined => {
  const published = lock[type] ?? [];
  const nth = published.findLastIndex(({ text }, index) => {
    const before = published[index - 1];
    return before !== undefined && changesVocabulary(diffSchemas(before.text, text));
  });
  return ledger.filter((entry) => entry.type === type)[nth]?.rn;
};

/** What locking would record now; empty when every text is locked as it is. */
export const dueEntries = (
  texts: readonly SchemaText[],
  { lock, ledger }: Governance,
  rn: string,
): readonly LedgerEntry[] =>
  texts.flatMap(({ type, text }): LedgerEntry[] => {
    const last = lock[type]?.at(-1);
    const after = sha256Of(text);
    if (last?.sha256 === after) return [];
    const changes = last === undefined ? [] : diffSchemas(last.text, text);
    return [
      {
        rn,
        type,
        what: last === undefined ? ['first text'] : changes.map(sentence),
        before: last?.sha256 ?? null,
        after,
        // Once the vocabulary has changed, FULL_TRANSITIVE can never hold again; FULL still freezes it from there.
        level: changesVocabulary(changes) ? 'FULL' : levelOf(type, ledger),
      },
    ];
  });

export const lockTexts = (texts: readonly SchemaText[], governance: Governance, rn: string): Governance => {
  const due = dueEntries(texts, governance, rn);
  const lock: Record<string, readonly PublishedText[]> = { ...governance.lock };
  for (const { type, after } of due) {
    const text = texts.find((one) => one.type === type)?.text ?? '';
    lock[type] = [...(lock[type] ?? []), { sha256: after, text }];
  }
  return { lock, ledger: [...governance.ledger, ...due] };
};
