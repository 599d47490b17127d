import { describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import {
  aiSdkTool,
  anthropicTool,
  DIALECTS,
  type Dialect,
  langchainTool,
  mcpTool,
  openaiTool,
  toolDefinition,
  toolFor,
} from '../../../../producer/index.ts';
import { parseUuid, TIPOS } from '../../../../schemas/index.ts';
import { anInput, uuidNo, uuids } from '../../../support/builders.ts';

/** Where a dialect keeps the schema of the arguments, and which draft its runtime reads it as. */
const SCHEMA_OF = {
  mcp: { draft: '2020-12', schema: () => mcpTool().inputSchema },
  anthropic: { draft: '2020-12', schema: () => anthropicTool().input_schema },
  openai: { draft: '2020-12', schema: () => openaiTool().function.parameters },
  'ai-sdk': { draft: '7', schema: () => aiSdkTool()[toolDefinition.name]?.inputSchema ?? {} },
  langchain: { draft: '2019-09', schema: () => langchainTool().schema },
} as const satisfies Record<Dialect, { draft: string; schema: () => object }>;

const AJV = { '7': Ajv, '2019-09': Ajv2019, '2020-12': Ajv2020 } as const;

/** Strict: an unknown keyword, or a bound that does not fit its type, is an error and no silence. */
const accepts = (dialect: Dialect): ((input: unknown) => boolean) => {
  const { draft, schema } = SCHEMA_OF[dialect];
  const ajv = new AJV[draft]({ strict: true, allErrors: true });
  ajv.addFormat('uuid', (text) => parseUuid(text) !== undefined);
  const validate = ajv.compile(schema());
  return (input) => validate(input);
};

const without = (field: string): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(anInput()).filter(([name]) => name !== field));

const GOOD: readonly [string, unknown][] = [
  ...TIPOS.map((tipo): [string, unknown] => [`tipo ${tipo}`, anInput({ tipo })]),
  ['no evidence', anInput({ evidenceEventIds: [] })],
  ['twenty ids', anInput({ evidenceEventIds: uuids(20) })],
];

const BAD_FOR_ALL: readonly [string, unknown][] = [
  ['a text instead of an object', JSON.stringify(anInput())],
  ['a list of reports', [anInput()]],
  ['a tipo beyond the vocabulary', anInput({ tipo: 'erro' })],
  ['a tipo in capitals', anInput({ tipo: 'LACO' })],
  ['an agente that is no text', anInput({ agente: 7 })],
  ['evidence that is no list', anInput({ evidenceEventIds: uuidNo(1) })],
  ['an id that is no text', anInput({ evidenceEventIds: [7] })],
  ['a further field', anInput({ motivo: 'x' })],
  ['no agente', without('agente')],
  ['no tipo', without('tipo')],
  ['no evidence field', without('evidenceEventIds')],
];

const BAD_BY_BOUNDS: readonly [string, unknown][] = [
  ['a display name', anInput({ agente: 'Product Owner' })],
  ['an agente of 33 characters', anInput({ agente: 'a'.repeat(33) })],
  ['twenty-one ids', anInput({ evidenceEventIds: uuids(21) })],
  ['text among the ids', anInput({ evidenceEventIds: ['she looked tired'] })],
];

describe.each(DIALECTS)('the %s dialect', (dialect) => {
  test.each(GOOD)('accepts %s', (_, input) => {
    expect(accepts(dialect)(input)).toBe(true);
  });

  test.each(BAD_FOR_ALL)('refuses %s', (_, input) => {
    expect(accepts(dialect)(input)).toBe(false);
  });

  test(dialect === 'openai' ? 'leaves the bounds to the handler' : 'refuses what is out of bounds', () => {
    const verdicts = BAD_BY_BOUNDS.map(([, input]) => accepts(dialect)(input));
    expect(verdicts).toEqual(BAD_BY_BOUNDS.map(() => dialect === 'openai'));
  });

  test('stays as it was published', () => {
    expect(toolFor(dialect)).toMatchSnapshot();
  });

  test('is JSON and nothing but JSON', () => {
    expect(JSON.parse(JSON.stringify(toolFor(dialect)))).toStrictEqual(toolFor(dialect));
  });

  test('has a name and a description, and the name is one that every runtime takes', () => {
    const text = JSON.stringify(toolFor(dialect));
    expect(text).toContain(JSON.stringify(toolDefinition.description));
    expect(text).toContain(JSON.stringify(toolDefinition.name));
    expect(toolDefinition.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  });

  test('is a copy: whoever changes it changes neither the definition nor the next copy', () => {
    const before = JSON.stringify(toolDefinition);
    const spoil = (value: object): void => {
      for (const [key, inner] of Object.entries(value)) {
        if (typeof inner === 'object' && inner !== null) spoil(inner);
        else Object.assign(value, { [key]: 'spoiled' });
      }
    };
    const first = toolFor(dialect);
    spoil(first);
    expect(JSON.stringify(first)).toContain('spoiled');
    expect(JSON.stringify(toolFor(dialect))).not.toContain('spoiled');
    expect(JSON.stringify(toolDefinition)).toBe(before);
  });
});

/** Every schema inside a schema, the outermost first. */
const nodesOf = (schema: Readonly<Record<string, unknown>>): readonly Readonly<Record<string, unknown>>[] => {
  const inner = [...Object.values(schema['properties'] ?? {}), schema['items']];
  const objects = inner.filter((one): one is Record<string, unknown> => typeof one === 'object' && one !== null);
  return [schema, ...objects.flatMap(nodesOf)];
};

describe('strict mode', () => {
  const nodes = nodesOf({ ...openaiTool().function.parameters });

  test('is asked for', () => {
    expect(openaiTool().function.strict).toBe(true);
  });

  test('finds no keyword that it refuses for some model', () => {
    const keywords = new Set(nodes.flatMap(Object.keys));
    for (const refused of ['pattern', 'format', 'maxLength', 'minLength', 'maxItems', 'minItems', 'uniqueItems']) {
      expect(keywords).not.toContain(refused);
    }
    expect(nodes.length).toBe(5);
  });

  test('finds every object closed and every property required', () => {
    for (const node of nodes.filter(({ type }) => type === 'object')) {
      expect(node['additionalProperties']).toBe(false);
      expect(node['required']).toEqual(Object.keys(node['properties'] ?? {}));
    }
  });
});

test('the five dialects tell of the same fields, in the same words', () => {
  const descriptions = DIALECTS.map((dialect) =>
    nodesOf({ ...SCHEMA_OF[dialect].schema() }).flatMap(({ description }) => description ?? []),
  );
  expect(descriptions[0]).toHaveLength(3);
  for (const one of descriptions) expect(one).toEqual(descriptions[0]);
});
