import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateText, jsonSchema, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { aiSdkTool, toolDefinition } from '../../producer/index.ts';
import { GOOD } from './calls.ts';

type Projection = { readonly description: string; readonly inputSchema: object };

const projectionIn = (tools: Readonly<Record<string, Projection>>): Projection => {
  const [[name, projection] = [], ...more] = Object.entries(tools);
  assert.equal(name, toolDefinition.name);
  assert.deepEqual(more, []);
  assert.ok(projection);
  return projection;
};

/** One round in which the model calls the tool: what the model was told, and what the tool was told. */
const round = async ({ description, inputSchema }: Projection, said: object = GOOD) => {
  const inputs: unknown[] = [];
  const model = new MockLanguageModelV4({
    doGenerate: {
      content: [
        { type: 'tool-call', toolCallId: 'call_1', toolName: toolDefinition.name, input: JSON.stringify(said) },
      ],
      finishReason: { unified: 'tool-calls', raw: undefined },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      },
      warnings: [],
    },
  });
  const { toolResults } = await generateText({
    model,
    prompt: 'x',
    tools: {
      [toolDefinition.name]: tool({
        description,
        inputSchema: jsonSchema(inputSchema),
        execute: (input: unknown) => {
          inputs.push(input);
          return { recorded: true };
        },
      }),
    },
  });
  return { told: model.doGenerateCalls[0]?.tools, inputs, outputs: toolResults.map(({ output }) => output) };
};

test('the model is told the projection as it is, and the handler what the model said', async () => {
  const { description, inputSchema } = projectionIn(aiSdkTool());
  const { told, inputs, outputs } = await round({ description, inputSchema });
  assert.deepEqual(told, [{ type: 'function', name: toolDefinition.name, description, inputSchema }]);
  assert.deepEqual(inputs, [GOOD]);
  assert.deepEqual(outputs, [{ recorded: true }]);
});

test('the SDK checks no argument against the schema: whatever the model says reaches the handler', async () => {
  const said = { arguments: GOOD, note: 'x' };
  assert.deepEqual((await round(projectionIn(aiSdkTool()), said)).inputs, [said]);
});

test('a projection with the schema under another key does not become a tool', async () => {
  const { description, inputSchema } = projectionIn(aiSdkTool());
  // @ts-expect-error the key that version 4 had
  const old: Projection = { description, parameters: inputSchema };
  assert.throws(() => projectionIn({}));
  const { told } = await round(old).catch(() => ({ told: undefined }));
  assert.notDeepEqual(told, [{ type: 'function', name: toolDefinition.name, description, inputSchema }]);
});
