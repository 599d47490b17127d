/**
 * The one tool definition as each runtime wants to be told it. Pure projections: no SDK is needed to make them, and
 * `test/sdk/` holds them to the SDKs' own types and validators.
 */
import { toolDefinition } from './definition.ts';

export const DIALECTS = ['mcp', 'anthropic', 'openai', 'ai-sdk', 'langchain'] as const;
export type Dialect = (typeof DIALECTS)[number];

/**
 * A JSON schema that is the caller's own to keep: plain, mutable, sharing nothing with the definition. A type and no
 * interface, because four of the SDKs want an object with any further keys, which no interface is.
 */
export type ArgumentsSchema = {
  type: 'object';
  properties: Record<string, object>;
  required: string[];
  additionalProperties: false;
};

const argumentsSchema = (): ArgumentsSchema => {
  const { type, properties, required, additionalProperties } = toolDefinition.inputSchema;
  return { type, properties: structuredClone(properties), required: [...required], additionalProperties };
};

/**
 * What OpenAI's strict mode takes from every model. `maxLength` is refused everywhere; `pattern`, `format` and
 * `maxItems` by fine-tuned models and on Azure, whatever the model (OpenAI's guide "Structured outputs", section
 * "Supported schemas"; Azure's page of the same name, table "Unsupported type-specific keywords", of June 2026). So the
 * bounds stay in the descriptions, and the handler checks them anyway.
 */
const STRICT_KEYWORDS = ['type', 'description', 'enum', 'items'] as const;

const withoutBounds = (schema: object): object =>
  Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword]) => (STRICT_KEYWORDS as readonly string[]).includes(keyword))
      .map(([keyword, value]: [string, unknown]) => [
        keyword,
        keyword === 'items' && typeof value === 'object' && value !== null ? withoutBounds(value) : value,
      ]),
  );

/** Strict mode also wants every property required and every object closed (the same section): ours is both already. */
const strictSchema = (): ArgumentsSchema => {
  const { type, properties, additionalProperties } = argumentsSchema();
  return {
    type,
    properties: Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, withoutBounds(schema)])),
    required: Object.keys(properties),
    additionalProperties,
  };
};

/**
 * MCP: `inputSchema` is an object schema of JSON Schema 2020-12 unless `$schema` says otherwise; a name has 1 to 128 of
 * letters, digits, `_`, `-`, `.` (specification 2025-11-25, server/tools).
 */
export const mcpTool = () => ({
  name: toolDefinition.name as string,
  description: toolDefinition.description as string,
  inputSchema: argumentsSchema(),
});

/**
 * Anthropic's Messages API: any JSON Schema 2020-12 as long as the tool is not `strict`; with `strict: true` lengths
 * and `maxItems` are refused ("Structured outputs", section "JSON Schema limitations"), so it is left out. A name is
 * `^[a-zA-Z0-9_-]{1,64}$` ("Define tools").
 */
export const anthropicTool = () => ({
  name: toolDefinition.name as string,
  description: toolDefinition.description as string,
  input_schema: argumentsSchema(),
});

/**
 * OpenAI's Chat Completions, strict. A name has at most 64 of letters, digits, `_`, `-` (the SDK's `FunctionDefinition`).
 * The Responses API takes the members of `function` one level higher.
 */
export const openaiTool = () => ({
  type: 'function' as const,
  function: {
    name: toolDefinition.name as string,
    description: toolDefinition.description as string,
    parameters: strictSchema(),
    strict: true,
  },
});

/**
 * Vercel's AI SDK: an entry of `tools`. The schema is JSON Schema 7 and goes through `jsonSchema(…)` of the package `ai`,
 * which checks no argument by itself (reference pages `tool` and `jsonSchema`).
 */
export const aiSdkTool = () => ({
  [toolDefinition.name as string]: {
    description: toolDefinition.description as string,
    inputSchema: argumentsSchema(),
  },
});

/**
 * LangChain: `StructuredToolParams`, or the second argument of `tool(…)`. It checks the arguments itself, as JSON Schema
 * 2019-09, before our handler sees them (source of `@langchain/core` 1.4, `tools`): an argument that breaks the schema
 * never reaches us and is not counted. Bind the projection and run the handler yourself where that matters.
 */
export const langchainTool = () => ({
  name: toolDefinition.name as string,
  description: toolDefinition.description as string,
  schema: argumentsSchema(),
});

/** One JSON value, fresh at every call. */
export const toolFor = (dialect: Dialect): object => {
  switch (dialect) {
    case 'mcp':
      return mcpTool();
    case 'anthropic':
      return anthropicTool();
    case 'openai':
      return openaiTool();
    case 'ai-sdk':
      return aiSdkTool();
    case 'langchain':
      return langchainTool();
    default:
      return dialect satisfies never;
  }
};
