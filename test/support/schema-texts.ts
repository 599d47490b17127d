/** Texts of other writers: ours, changed in one place. */
import { AGENT_DEVIATION, type EventType, loadSchemaText } from '../../schemas/index.ts';

export type Json = Record<string, unknown>;

export interface Field extends Json {
  name: string;
  type: Json;
}

export interface RecordSchema extends Json {
  fields: Field[];
}

export const ourSchema = (type: EventType = AGENT_DEVIATION): RecordSchema =>
  JSON.parse(loadSchemaText(type)) as RecordSchema; // our own file

/** Our text after the change; the change sees a copy. */
export const writerText = (change: (schema: RecordSchema) => void, type: EventType = AGENT_DEVIATION): string => {
  const schema = ourSchema(type);
  change(schema);
  return JSON.stringify(schema);
};

export const fieldOf = (schema: RecordSchema, name: string): Field => {
  const field = schema.fields.find((one) => one.name === name);
  if (field === undefined) throw new Error(`the schema has no field ${name}`);
  return field;
};

/** A writer that adds a fourth kind at the end. */
export const TOMORROWS_TEXT = writerText((schema) => {
  fieldOf(schema, 'tipo').type.symbols = ['laco', 'cancelamento_pelo_usuario', 'reparo_pelo_usuario', 'alucinacao'];
});
