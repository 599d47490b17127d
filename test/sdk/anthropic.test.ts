import assert from 'node:assert/strict';
import { test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { anthropicTool } from '../../producer/index.ts';
import { answering, GOOD } from './calls.ts';

const tool: Anthropic.Tool = anthropicTool();

// The SDK has no validator for a tool: its types are the check, and these lines must not compile.
// @ts-expect-error the key that MCP has
export const misnamed: Anthropic.Tool = { name: tool.name, inputSchema: tool.input_schema };
// @ts-expect-error a schema that is no object's
export const ofAList: Anthropic.Tool = { ...tool, input_schema: { ...tool.input_schema, type: 'array' } };
// @ts-expect-error `required` that is no list
export const required: Anthropic.Tool = { ...tool, input_schema: { ...tool.input_schema, required: 'agente' } };

test('the client sends the projection as it is, and gives the arguments back as an object', async () => {
  const { fetch, bodies } = answering({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'any',
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
    content: [{ type: 'tool_use', id: 'toolu_1', name: tool.name, input: GOOD }],
  });
  const client = new Anthropic({ apiKey: 'none', fetch });
  const message = await client.messages.create({
    model: 'any',
    max_tokens: 100,
    messages: [{ role: 'user', content: 'x' }],
    tools: [tool],
  });
  assert.deepEqual(
    bodies.map((body) => (body as { tools: unknown }).tools),
    [[anthropicTool()]],
  );
  const [block] = message.content;
  assert.equal(block?.type, 'tool_use');
  assert.deepEqual(block.input, GOOD);
});
