/** Whether the registry holds exactly the texts of this tree. Looks up only: a running service never registers. */
import { type EventType, loadSchemaText } from '../schemas/index.ts';
import { StreamError } from './errors.ts';
import type { SchemaId } from './frame.ts';
import type { Registry } from './registry.ts';

/** The id under which this tree's text of the type is registered; a StreamError otherwise. */
export const registeredId = async (
  registry: Pick<Registry, 'idOfText' | 'hasSubject'>,
  type: EventType,
): Promise<SchemaId> => {
  const text = loadSchemaText(type);
  const id = await registry.idOfText(type, text);
  if (id !== undefined) return id;
  if (!(await registry.hasSubject(type))) {
    throw new StreamError('SUBJECT_MISSING', `subject ${type}`, 'Register it: deviations schema register');
  }
  // It may have been registered between the two questions.
  const since = await registry.idOfText(type, text);
  if (since !== undefined) return since;
  throw new StreamError(
    'CONTRACT_MISMATCH',
    `subject ${type} has other texts than schemas/${type}.avsc`,
    'Deploy the version that was registered, or register this one: deviations schema register',
  );
};
