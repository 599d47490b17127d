import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type StructuredToolParams, tool } from '@langchain/core/tools';
import { convertToOpenAITool, isLangChainTool } from '@langchain/core/utils/function_calling';
import { FakeStreamingChatModel } from '@langchain/core/utils/testing';
import { langchainTool } from '../../producer/index.ts';
import { BAD, GOOD, without } from './calls.ts';

const params: StructuredToolParams = langchainTool();

test('LangChain takes the projection for a tool, and converts it whole', () => {
  assert.ok(isLangChainTool(params));
  const { name, description, schema } = langchainTool();
  assert.deepEqual(convertToOpenAITool(params), {
    type: 'function',
    function: { name, description, parameters: schema },
  });
});

test('a model can be bound to it', () => {
  assert.ok(new FakeStreamingChatModel({}).bindTools([langchainTool()]));
});

test('LangChain takes a spoiled projection for no tool', () => {
  const { schema } = langchainTool();
  assert.ok(!isLangChainTool(without(params, 'schema')));
  assert.ok(!isLangChainTool({ ...params, schema: without(schema, 'type') }));
  assert.ok(!isLangChainTool({ ...without(params, 'schema'), parameters: schema }));
});

test('a tool made of it runs on good arguments and refuses the others itself', async () => {
  const inputs: unknown[] = [];
  const made = tool((input: unknown) => {
    inputs.push(input);
    return 'recorded';
  }, langchainTool());
  assert.equal(await made.invoke(GOOD), 'recorded');
  await assert.rejects(made.invoke(BAD), /did not match expected schema/);
  await assert.rejects(made.invoke({ ...GOOD, note: 'x' }), /did not match expected schema/);
  assert.deepEqual(inputs, [GOOD]);
});
