import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { AGENT_DEVIATION, loadSchemaText } from '../../../schemas/index.ts';
import { createEncoder } from '../../../wire/index.ts';
import { aDeviation } from '../../support/builders.ts';
import { addField } from '../../support/schema-edits.ts';
import { avscOf, copyTree, type SchemaTree } from '../../support/schema-tree.ts';

const NIL = '00000000-0000-0000-0000-000000000000';
const TURN_ID = `{ "name": "turnId", "type": { "type": "string", "logicalType": "uuid" }, "default": "${NIL}", "doc": "The turn." }`;

const JUDGE = `
  import { judgeWriter } from './wire/index.ts';
  const [text, body] = process.argv.slice(2);
  const contract = judgeWriter(text);
  const decoded = contract.kind === 'ours' ? contract.decoder.decode(Buffer.from(body, 'hex')) : undefined;
  process.stdout.write(JSON.stringify({ kind: contract.kind, decoded }));
`;

/** A tree of tomorrow, with one field more than the text of today. */
let tree: SchemaTree;
beforeAll(async () => {
  tree = copyTree();
  tree.edit(avscOf(), addField(TURN_ID));
  expect(await tree.deviations(['schema', 'lock', '--rn', 'RN-800'])).toMatchObject({ code: 0 });
});
afterAll(() => tree.remove());

const TODAY = loadSchemaText(AGENT_DEVIATION);
test.each([
  ['letter for letter', TODAY],
  ['in the writing of a registry', JSON.stringify(JSON.parse(TODAY))],
])('a published text %s is ours though it lacks a field, which takes its default', async (_name, text) => {
  const event = aDeviation();
  const judged = await tree.run(JUDGE, [text, createEncoder(AGENT_DEVIATION).encode(event).toString('hex')]);
  expect(judged.stderr).toBe('');
  expect(JSON.parse(judged.stdout)).toEqual({
    kind: 'ours',
    decoded: { readable: true, event: { ...event, turnId: NIL } },
  });
});

test('the same text with one word changed was never published, and is not ours without the field', async () => {
  const judged = await tree.run(JUDGE, [TODAY.replace('it looped', 'he looped'), '']);
  expect(JSON.parse(judged.stdout)).toEqual({ kind: 'foreign-contract' });
});
