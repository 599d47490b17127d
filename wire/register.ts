/** The deploy step that writes to the registry. A running service never comes here. */
import { EVENT_TYPES, type EventType, loadSchemaText } from '../schemas/index.ts';
import { StreamError } from './errors.ts';
import type { SchemaId } from './frame.ts';
import type { Registry } from './registry.ts';

/** Makes the registry refuse any change of the vocabulary (design 3.5). */
export const REQUIRED_LEVEL = 'FULL_TRANSITIVE';

export interface Registered {
  readonly subject: EventType;
  readonly id: SchemaId;
  readonly level: string;
}

/** What Apicurio answers for a subject whose level nobody set. */
const UNSET = 'NONE';

/**
 * Registers each type's text, sets the level of a subject that has none, and reads both back: the one order that works on
 * Apicurio and on Confluent's. Safe to repeat. A subject with another level is refused, never changed in silence.
 */
export const registerSchemas = async (registry: Registry): Promise<readonly Registered[]> => {
  const registered: Registered[] = [];
  for (const subject of EVENT_TYPES) {
    const text = loadSchemaText(subject);
    const before = (await registry.hasSubject(subject)) ? await registry.level(subject) : undefined;
    if (before !== undefined && before !== UNSET && before !== REQUIRED_LEVEL) {
      throw new StreamError(
        'CONTRACT_MISMATCH',
        `subject ${subject} has level ${before}, not ${REQUIRED_LEVEL}`,
        'Somebody set it on purpose: ask, then set it back, then register again',
      );
    }
    await registry.register(subject, text);
    if (before !== REQUIRED_LEVEL) await registry.setLevel(subject, REQUIRED_LEVEL);

    const id = await registry.idOfText(subject, text);
    const level = await registry.level(subject);
    if (id === undefined || level !== REQUIRED_LEVEL) {
      throw new StreamError(
        'CONTRACT_MISMATCH',
        `subject ${subject} does not read back as it was registered`,
        'Run it again; if it stays so, look at the registry itself',
      );
    }
    registered.push({ subject, id, level });
  }
  return registered;
};
