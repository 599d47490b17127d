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
  const id = await registry.idOfText(type, loadSchemaText(type));
  if (id !== undefined) return id;
  throw (await registry.hasSubject(type))
    ? new StreamError(
        'CONTRACT_MISMATCH',
        `subject ${type} has other texts than schemas/${type}.avsc`,
        'Deploy the version that was registered, or register this one: deviations schema register',
      )
    : new StreamError('SUBJECT_MISSING', `subject ${type}`, 'Register it: deviations schema register');
};
