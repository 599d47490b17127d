/** Small edits of a schema file's text: what a hand in an editor does, so that spelling and order are part of it. */
import type { LintRule } from '../../schemas/govern/lint-rules.ts';
import {
  AGENT_DEVIATION,
  type EventType,
  loadSchemaText,
  loadSchemaTexts,
  type SchemaText,
} from '../../schemas/index.ts';

export type Edit = (text: string) => string;

/** What it is, the edit, and every rule that it breaks, no more and no less. */
export type LintMutant = readonly [name: string, edit: Edit, breaks: readonly LintRule[]];

/** Replaces the one place that reads `from`; an edit that hits nothing, or more than it means, would test nothing. */
export const swap =
  (from: string, to: string): Edit =>
  (text) => {
    const places = text.split(from).length - 1;
    if (places !== 1) throw new Error(`the schema reads ${JSON.stringify(from)} in ${places} places`);
    return text.replace(from, () => to);
  };

export const edits =
  (...each: readonly Edit[]): Edit =>
  (text) =>
    each.reduce((edited, edit) => edit(edited), text);

/** A field behind the others. */
export const addField = (field: string): Edit => swap('\n    }\n  ]\n}\n', `\n    },\n    ${field}\n  ]\n}\n`);

/** This tree's texts, one of them edited. */
export const withEdit = (edit: Edit, type: EventType = AGENT_DEVIATION): readonly SchemaText[] =>
  loadSchemaTexts().map((own) => (own.type === type ? { type, text: edit(own.text) } : own));

export const edited = (edit: Edit, type: EventType = AGENT_DEVIATION): string => edit(loadSchemaText(type));

/** Pieces of anamnese.agent_deviation.avsc, as they stand there. */
export const PIECES = {
  agente: '"name": "agente",\n      "type": { "type": "string", "logicalType": "agent-id" }',
  occurredAt: '"name": "occurredAt",\n      "type": { "type": "long", "logicalType": "timestamp-millis" }',
  symbols: '["laco", "cancelamento_pelo_usuario", "reparo_pelo_usuario"]',
  items: '"items": { "type": "string", "logicalType": "uuid" }',
  tipoDoc: '"doc": "The kind of deviation: a closed vocabulary without a default; a change needs an RN."',
} as const;

/** The field `agente` with another type. */
export const agenteAs = (type: string): Edit => swap(PIECES.agente, `"name": "agente",\n      "type": ${type}`);
