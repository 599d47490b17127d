import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI from 'openai';
import { toStrictJsonSchema } from 'openai/lib/transform';
import type { ChatCompletionFunctionTool } from 'openai/resources/chat/completions';
import { openaiTool, toolDefinition } from '../../producer/index.ts';
import { answering, GOOD } from './calls.ts';

const tool: ChatCompletionFunctionTool = openaiTool();
const { parameters } = openaiTool().function;

// @ts-expect-error the members of `function` one level too high, as the Responses API has them
export const flat: ChatCompletionFunctionTool = { type: 'function', ...tool.function };

/** The SDK's own idea of a strict schema, as `zodFunction` applies it. */
const strict = (schema: object): unknown => toStrictJsonSchema(schema as Parameters<typeof toStrictJsonSchema>[0]); // a schema

test('the SDK finds nothing to make strict in the projection', () => {
  assert.deepEqual(strict(parameters), parameters);
});

test('the SDK closes a projection that is open, and refuses one that leaves a property optional', () => {
  const { additionalProperties: _closed, ...open } = parameters;
  assert.notDeepEqual(strict(open), open);
  const optional = { ...parameters, required: ['agente', 'tipo'] };
  assert.throws(() => strict(optional), /optional/);
});

const parsedWith = async (used: ChatCompletionFunctionTool) => {
  const call = { name: toolDefinition.name, arguments: JSON.stringify(GOOD) };
  const { fetch, bodies } = answering({
    id: 'chatcmpl_1',
    object: 'chat.completion',
    created: 1,
    model: 'any',
    choices: [
      {
        index: 0,
        finish_reason: 'tool_calls',
        logprobs: null,
        message: {
          role: 'assistant',
          content: null,
          refusal: null,
          tool_calls: [{ id: 'call_1', type: 'function', function: call }],
        },
      },
    ],
  });
  const client = new OpenAI({ apiKey: 'none', fetch });
  const completion = await client.chat.completions.parse({
    model: 'any',
    messages: [{ role: 'user', content: 'x' }],
    tools: [used],
  });
  const [made] = completion.choices[0]?.message.tool_calls ?? [];
  return { bodies, parsed: made?.type === 'function' ? made.function.parsed_arguments : undefined };
};

test('the client sends the projection as it is, and parses the arguments because it is strict', async () => {
  const { bodies, parsed } = await parsedWith(tool);
  assert.deepEqual(
    bodies.map((body) => (body as { tools: unknown }).tools),
    [[openaiTool()]],
  );
  assert.deepEqual(parsed, GOOD);
});

test('the client refuses to parse with a projection that is not strict', async () => {
  await assert.rejects(parsedWith({ ...tool, function: { ...tool.function, strict: false } }), /strict/);
});
