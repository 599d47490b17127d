/** The deploy step that writes to the registry; a running service never comes here. Safe to repeat, and to resume. */
import {
  type Change,
  changesVocabulary,
  type Contract,
  type ContractLevel,
  diffSchemas,
  isSameSchema,
  levelOf,
  loadContract,
  type SchemaText,
  vocabularyRuleOf,
} from '../schemas/index.ts';
import { isStreamError, StreamError } from './errors.ts';
import type { SchemaId } from './frame.ts';
import type { Registry, SchemaVersion } from './registry.ts';

export interface Registered {
  readonly subject: string;
  readonly id: SchemaId;
  readonly level: ContractLevel;
}

export interface RegisterOptions {
  /** The rule that orders a change of a vocabulary, as the ledger has it. */
  readonly rn?: string;
  /** Told before each step that changes the registry. */
  readonly say?: (step: string) => void;
}

/**
 * What Apicurio answers for a subject whose level nobody set, and for one that somebody set to NONE: it does not tell
 * them apart. Confluent's has no answer for the first, so there NONE is somebody's choice; giving it up is said aloud.
 */
const UNSET = 'NONE';
/** The one level that lets a symbol in behind the others while old records stay readable (design 3.5). */
const WHILE_CHANGING = 'BACKWARD_TRANSITIVE';

const mismatch = (where: string, next: string): StreamError => new StreamError('CONTRACT_MISMATCH', where, next);

const foreignLevel = (subject: string, level: string): StreamError =>
  mismatch(
    `subject ${subject} has level ${level}, which the ledger does not say`,
    'Somebody set it on purpose: ask, then set it back, then register again',
  );

/** The subject's level, or undefined when nobody set one. */
const levelSet = async (registry: Registry, subject: string): Promise<string | undefined> => {
  const level = await registry.level(subject);
  return level === UNSET ? undefined : level;
};

/** What this tree changes of the latest version there; nothing to say about one that is no Avro record. */
const changesOf = (versions: readonly SchemaVersion[], text: string): readonly Change[] => {
  const latest = versions.at(-1);
  if (latest === undefined) return [];
  try {
    return diffSchemas(latest.text, text);
  } catch {
    return [];
  }
};

/** Every text of ours behind the last one that is there, in order, so that no published one is passed over. */
const dueTexts = (
  { type, text }: SchemaText,
  { governance }: Contract,
  versions: readonly SchemaVersion[],
): readonly string[] => {
  const published = [...new Set([...(governance.lock[type] ?? []).map((one) => one.text), text])];
  const last = published.findLastIndex((text) => versions.some((version) => isSameSchema(version.text, text)));
  return published.slice(last + 1);
};

/** A vocabulary is append-only (design 3.2); the registry lets a word move, and a reader by index would take it for another. */
const requireAppended = (subject: string, changes: readonly Change[]): void => {
  if (changes.some(({ where, effect }) => where.endsWith('.symbols') && effect !== 'breaks readers')) {
    throw mismatch(
      `subject ${subject} takes out or moves a word of its vocabulary`,
      'Only a new word behind the others can be registered: old records are read by these words',
    );
  }
};

const requireRule = (subject: string, contract: Contract, rn: string | undefined): void => {
  const rule = vocabularyRuleOf(subject, contract.governance);
  if (rule === undefined || rule !== rn) {
    throw mismatch(
      `subject ${subject} changes its vocabulary`,
      'Deploy the consumers first; then name the rule the ledger has for it: deviations schema register --rn RN-…',
    );
  }
};

/** Resolves to the level that the subject must now read back. */
const registerOne = async (
  registry: Registry,
  own: SchemaText,
  contract: Contract,
  { rn, say = () => {} }: RegisterOptions,
): Promise<ContractLevel> => {
  const { type: subject, text } = own;
  const wanted = levelOf(subject, contract.governance.ledger);
  const level = await levelSet(registry, subject);
  const isThere = (await registry.idOfText(subject, text)) !== undefined;
  if (isThere && level === wanted) return wanted;

  const setLevel = async (next: string): Promise<void> => {
    say(`${subject}: level ${next}`);
    try {
      await registry.setLevel(subject, next);
    } catch (error) {
      // Of two who set the same at once, Apicurio answers one with a conflict: what stands there decides.
      const isConflict = isStreamError(error) && error.code === 'CONTRACT_MISMATCH';
      if (!isConflict || (await registry.level(subject)) !== next) throw error;
    }
  };

  const versions = isThere ? [] : await registry.versions(subject);
  const changes = changesOf(versions, text);
  const isBegun = level === WHILE_CHANGING && wanted === 'FULL';
  const isChange = isBegun || changesVocabulary(changes);
  // What must be refused is refused before anything is touched.
  requireAppended(subject, changes);
  if (isChange) requireRule(subject, contract, rn);
  // Until its vocabulary changes a subject stands at FULL_TRANSITIVE, then at FULL for good.
  const isOurs = level === undefined || level === wanted || isBegun || (isChange && level === 'FULL_TRANSITIVE');
  if (!isOurs) throw foreignLevel(subject, level);

  if (changesVocabulary(changes) && !isBegun) await setLevel(WHILE_CHANGING);
  if (!isThere) {
    for (const due of dueTexts(own, contract, versions)) {
      say(`${subject}: register`);
      await registry.register(subject, due);
    }
  }
  // Last, because a registry may refuse a level for a subject without a version.
  if (isChange || level === undefined) await setLevel(wanted);
  return wanted;
};

/**
 * Registers each type's locked texts with its level, and reads both back. A level that somebody else chose is never
 * changed. Killed at any step and run again, it ends in the same state.
 */
export const registerSchemas = async (
  registry: Registry,
  options: RegisterOptions = {},
  contract: Contract = loadContract(),
): Promise<readonly Registered[]> => {
  const registered: Registered[] = [];
  for (const own of contract.texts) {
    const level = await registerOne(registry, own, contract, options);
    const id = await registry.idOfText(own.type, own.text);
    if (id === undefined || (await registry.level(own.type)) !== level) {
      throw mismatch(
        `subject ${own.type} does not read back as it was registered`,
        'Run it again; if it stays so, look at the registry itself',
      );
    }
    registered.push({ subject: own.type, id, level });
  }
  return registered;
};
