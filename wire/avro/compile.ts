/** A schema text to a guarded avsc type. */
import avro from 'avsc';
import { guardedType } from './guard.ts';
import { LOGICAL_TYPES } from './logical-types.ts';

export interface CompiledSchema {
  /** Checks ids and times while it reads and writes. */
  readonly checked: avro.Type;
  /** The same shape without the rules of value: tells a truncated body from a wrong id. */
  readonly plain: avro.Type;
}

/** Throws whatever avsc throws on a text that is no schema; callers turn that into a code and drop the error. */
export const compile = (text: string): CompiledSchema => {
  const schema = JSON.parse(text) as avro.Schema; // avsc judges it
  const options = { typeHook: guardedType, assertLogicalTypes: true };
  return {
    checked: avro.Type.forSchema(schema, { ...options, logicalTypes: LOGICAL_TYPES }),
    plain: avro.Type.forSchema(schema, options),
  };
};
