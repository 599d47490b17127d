import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { agenteAs } from '../../../support/schema-edits.ts';
import { avscOf, copyTree, type SchemaTree } from '../../../support/schema-tree.ts';

let [right, wrong]: SchemaTree[] = [];
beforeAll(() => {
  [right, wrong] = [copyTree(), copyTree()];
  wrong.edit(avscOf(), agenteAs('"string"'));
});
afterAll(() => {
  for (const tree of [right, wrong]) tree?.remove();
});

const lint = async (tree: SchemaTree | undefined, ...args: readonly string[]) => {
  if (tree === undefined) throw new Error('the trees are made before the tests');
  return tree.deviations(['schema', 'lint', ...args]);
};

test('schema lint ends with 0 and says so when there is nothing to find, and with 5 otherwise', async () => {
  expect(await lint(right)).toMatchObject({ code: 0, stdout: '', stderr: '3 schema(s), no finding\n' });
  const found = await lint(wrong);
  expect(found).toMatchObject({ code: 5, stderr: '1 finding(s)\n' });
  expect(found.stdout).toMatch(
    /^anamnese\.agent_deviation {2}string-free {2}fields\.agente\.type\n {2}why: .+\n {2}fix: .+\n$/,
  );
});

test('schema lint gives a machine one list, also an empty one, and a stream of lines', async () => {
  const finding = { type: 'anamnese.agent_deviation', rule: 'string-free', where: 'fields.agente.type' };
  expect(JSON.parse((await lint(right, '-o', 'json')).stdout)).toEqual([]);
  const list = await lint(wrong, '-o', 'json');
  expect(list.code).toBe(5);
  expect(JSON.parse(list.stdout)).toMatchObject([finding]);
  const lines = (await lint(wrong, '-o', 'ndjson')).stdout.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([finding]);
});

test('schema lint takes the files it is given instead of the tree', async () => {
  expect(await lint(wrong, avscOf('anamnese.fact_accepted'))).toMatchObject({ code: 0 });
  expect(await lint(right, `${wrong?.folder}/${avscOf()}`)).toMatchObject({ code: 5 });
  expect(await lint(right, 'schemas/none.avsc')).toMatchObject({ code: 3 });
  expect(await lint(right, '-o', 'xml')).toMatchObject({ code: 2 });
});
