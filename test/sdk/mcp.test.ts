import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ListToolsResultSchema, type Tool, ToolSchema } from '@modelcontextprotocol/sdk/types.js';
import { mcpTool } from '../../producer/index.ts';
import { without } from './calls.ts';

const tool: Tool = mcpTool();

test('the SDK reads the projection as a tool and changes nothing', () => {
  assert.deepEqual(ToolSchema.parse(tool), mcpTool());
  assert.deepEqual(ListToolsResultSchema.parse({ tools: [tool] }).tools, [mcpTool()]);
});

test('the SDK refuses a spoiled projection', () => {
  // @ts-expect-error the key that Anthropic has
  const misnamed: Tool = { ...without(tool, 'inputSchema'), input_schema: tool.inputSchema };
  assert.throws(() => ToolSchema.parse(misnamed));
  assert.throws(() => ToolSchema.parse({ ...tool, inputSchema: { ...tool.inputSchema, type: 'array' } }));
  assert.throws(() => ToolSchema.parse({ ...tool, inputSchema: { ...tool.inputSchema, required: 'agente' } }));
  assert.throws(() => ToolSchema.parse(without(tool, 'name')));
});
