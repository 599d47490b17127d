/** A schema text to a guarded avsc type. */
import avro from 'avsc';
import { StreamError } from '../errors.ts';
import { guardedType } from './guard.ts';
import { LOGICAL_TYPES } from './logical-types.ts';

export interface CompiledSchema {
  /** Checks ids and times while it reads and writes. */
  readonly checked: avro.Type;
  /** The same shape without the rules of value: tells a truncated body from a wrong id. */
  readonly plain: avro.Type;
}

/**
 * A logical type that stands on another type than ours does is passed over, as Avro says: it can only be a field that a
 * foreign writer added. Throws whatever avsc throws on a text that is no schema; callers turn that into a code.
 */
export const compile = (text: string): CompiledSchema => {
  const schema = JSON.parse(text) as avro.Schema; // avsc judges it
  const options = { typeHook: guardedType };
  return {
    checked: avro.Type.forSchema(schema, { ...options, logicalTypes: LOGICAL_TYPES }),
    plain: avro.Type.forSchema(schema, options),
  };
};

/** A text of this tree: a logical type that nobody checks is an error at the start, not a field without a rule. */
export const compileOwn = (text: string): CompiledSchema => {
  JSON.parse(text, (key, value: unknown) => {
    if (key === 'logicalType' && !Object.hasOwn(LOGICAL_TYPES, String(value))) {
      throw new StreamError(
        'CONTRACT_MISMATCH',
        'a schema of this tree has an unknown logical type',
        'See: deviations schema lint',
      );
    }
    return value;
  });
  return compile(text);
};
