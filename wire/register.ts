/** The deploy step that writes to the registry; a running service never comes here. Safe to repeat, and to resume. */
import {
  type ContractLevel,
  changesVocabulary,
  diffSchemas,
  EVENT_TYPES,
  type EventType,
  levelOf,
  loadSchemaText,
  publishedTexts,
  readGovernance,
} from '../schemas/index.ts';
import { StreamError } from './errors.ts';
import type { SchemaId } from './frame.ts';
import type { Registry } from './registry.ts';

export interface Registered {
  readonly subject: EventType;
  readonly id: SchemaId;
  readonly level: ContractLevel;
}

export interface RegisterOptions {
  /** The rule that orders a change of a vocabulary, as the ledger has it. */
  readonly rn?: string;
  /** Told before each step that changes the registry. */
  readonly say?: (step: string) => void;
}

/** What Apicurio answers for a subject whose level nobody set. */
const UNSET = 'NONE';
/** The one level that lets a symbol in behind the others while old records stay readable (design 3.5). */
const WHILE_CHANGING = 'BACKWARD_TRANSITIVE';

const mismatch = (where: string, next: string): StreamError => new StreamError('CONTRACT_MISMATCH', where, next);

const foreignLevel = (subject: EventType, level: string): StreamError =>
  mismatch(
    `subject ${subject} has level ${level}, which the ledger does not say`,
    'Somebody set it on purpose: ask, then set it back, then register again',
  );

/** The subject's level, or undefined when nobody set one. */
const levelSet = async (registry: Registry, subject: string): Promise<string | undefined> => {
  const level = await registry.level(subject);
  return level === UNSET ? undefined : level;
};

/** Whether the text of this tree changes a vocabulary of the latest version there. */
const isVocabularyChange = async (registry: Registry, subject: EventType, text: string): Promise<boolean> => {
  const latest = (await registry.versions(subject)).at(-1);
  return latest !== undefined && latest.text !== text && changesVocabulary(diffSchemas(latest.text, text));
};

const requireRule = (subject: EventType, rn: string | undefined): void => {
  const entry = readGovernance().ledger.findLast(({ type }) => type === subject);
  if (entry === undefined || entry.level !== 'FULL' || entry.rn !== rn) {
    throw mismatch(
      `subject ${subject} changes its vocabulary`,
      'Deploy the consumers first; then name the rule the ledger has for it: deviations schema register --rn RN-…',
    );
  }
};

const registerOne = async (registry: Registry, subject: EventType, options: RegisterOptions): Promise<void> => {
  const text = loadSchemaText(subject);
  const wanted = levelOf(subject, readGovernance().ledger);
  const say = options.say ?? (() => {});

  const setLevel = async (level: string): Promise<void> => {
    say(`${subject}: level ${level}`);
    await registry.setLevel(subject, level);
  };

  if (!(await registry.hasSubject(subject))) {
    // In this order it works on Apicurio and on Confluent's: a level needs a version there first. Older texts come
    // before the newest, so that their records stay readable and the level need not be opened for them later.
    for (const published of new Set([...publishedTexts(subject), text])) {
      say(`${subject}: register`);
      await registry.register(subject, published);
    }
    await setLevel(wanted);
    return;
  }

  const level = await levelSet(registry, subject);
  const isThere = (await registry.idOfText(subject, text)) !== undefined;
  if (isThere && level === wanted) return;

  const isBegun = level === WHILE_CHANGING && wanted === 'FULL';
  const isChange = !isThere && (await isVocabularyChange(registry, subject, text));
  if (isBegun || isChange) {
    requireRule(subject, options.rn);
    // A subject that never changed its vocabulary stands at FULL_TRANSITIVE until now.
    if (!isBegun && level !== undefined && level !== 'FULL_TRANSITIVE' && level !== 'FULL')
      throw foreignLevel(subject, level);
    if (!isThere && !isBegun) await setLevel(WHILE_CHANGING);
  } else if (level !== undefined && level !== wanted) throw foreignLevel(subject, level);

  if (!isThere) {
    say(`${subject}: register`);
    await registry.register(subject, text);
  }
  if (isBegun || isChange || level === undefined) await setLevel(wanted);
};

/** Registers each type's text with its level, and reads both back. A level that somebody else chose is never changed. */
export const registerSchemas = async (
  registry: Registry,
  options: RegisterOptions = {},
): Promise<readonly Registered[]> => {
  const registered: Registered[] = [];
  for (const subject of EVENT_TYPES) {
    await registerOne(registry, subject, options);
    const wanted = levelOf(subject, readGovernance().ledger);
    const id = await registry.idOfText(subject, loadSchemaText(subject));
    if (id === undefined || (await registry.level(subject)) !== wanted) {
      throw mismatch(
        `subject ${subject} does not read back as it was registered`,
        'Run it again; if it stays so, look at the registry itself',
      );
    }
    registered.push({ subject, id, level: wanted });
  }
  return registered;
};
