import { expect, test } from '@jest/globals';
import { AGENT_DEVIATION, loadSchemaText } from '../../../schemas/index.ts';
import { compileOwn } from '../../../wire/avro/compile.ts';

test('a text of this tree with a logical type that nobody checks is an error at the start', () => {
  const text = loadSchemaText(AGENT_DEVIATION);
  expect(compileOwn(text).checked.typeName).toBe('record');
  expect(() => compileOwn(text.replace('"agent-id"', '"agent-name"'))).toThrow(
    expect.objectContaining({ code: 'CONTRACT_MISMATCH' }),
  );
});
