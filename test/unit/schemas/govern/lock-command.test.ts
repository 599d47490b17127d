import { readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { AGENT_DEVIATION, levelOf } from '../../../../schemas/index.ts';
import { startNode } from '../../../support/processes.ts';
import { swap } from '../../../support/schema-edits.ts';
import { ANOTHER_DOC } from '../../../support/schema-governance.ts';
import { addFourthTipo, avscOf, copyTree, type SchemaTree } from '../../../support/schema-tree.ts';

const LOCK = 'schemas/published.lock.json';
const LEDGER = 'schemas/rules.json';

let tree: SchemaTree;
beforeEach(() => {
  tree = copyTree();
});
afterEach(() => tree.remove());

const written = () => ({ lock: tree.read(LOCK), ledger: tree.read(LEDGER) });
const lock = (rn: string, cwd?: string) => tree.deviations(['schema', 'lock', '--rn', rn], {}, cwd);
const check = () => tree.deviations(['schema', 'check']);

describe('schema lock', () => {
  test('is a usage error without a rule, or with one of no form, and writes nothing', async () => {
    tree.edit(avscOf(), ANOTHER_DOC);
    const before = written();
    expect(await tree.deviations(['schema', 'lock'])).toMatchObject({ code: 2, stdout: '' });
    for (const rn of ['', 'RN-', 'rn-717', '717', 'RN-1234567', 'RN-717 and more', 'ADR-205']) {
      expect({ rn, ...(await lock(rn)) }).toMatchObject({ rn, code: 2, stdout: '' });
    }
    expect(written()).toEqual(before);
  });

  test('records a change of a word alone, and the check passes from then on', async () => {
    const before = tree.governance();
    tree.edit(avscOf(), ANOTHER_DOC);
    expect(await check()).toMatchObject({ code: 5 });

    const locked = await lock('RN-717');
    expect(locked).toMatchObject({ code: 0, stdout: '' });
    expect(locked.stderr).toContain(`locked ${AGENT_DEVIATION} by RN-717, level after FULL_TRANSITIVE`);
    expect(await check()).toMatchObject({ code: 0 });

    const after = tree.governance();
    const last = after.lock[AGENT_DEVIATION]?.at(-1);
    expect(last?.text).toBe(tree.read(avscOf()));
    expect(after.lock[AGENT_DEVIATION]?.slice(0, -1)).toEqual(before.lock[AGENT_DEVIATION]);
    expect(after.ledger.slice(0, -1)).toEqual(before.ledger);
    expect(after.ledger.at(-1)).toEqual({
      rn: 'RN-717',
      type: AGENT_DEVIATION,
      what: ['fields.tipo.doc: another text (safe)'],
      before: before.lock[AGENT_DEVIATION]?.at(-1)?.sha256,
      after: last?.sha256,
      level: 'FULL_TRANSITIVE',
    });
    expect(readdirSync(join(tree.folder, 'schemas')).filter((file) => file.endsWith('.new'))).toEqual([]);
  });

  test('has nothing to lock the second time, nor when nothing changed', async () => {
    const first = written();
    expect((await lock('RN-717')).stderr).toContain('nothing to lock');
    expect(written()).toEqual(first);

    tree.edit(avscOf(), ANOTHER_DOC);
    await lock('RN-717');
    const second = written();
    expect(second).not.toEqual(first);
    const again = await lock('RN-718');
    expect(again).toMatchObject({ code: 0 });
    expect(again.stderr).toContain('nothing to lock');
    expect(written()).toEqual(second);
  });

  test('records white space alone, and several types at once', async () => {
    tree.edit(avscOf(), (text) => `${text}\n`);
    tree.edit(avscOf('anamnese.fact_accepted'), swap('"The fact that was accepted;', '"The accepted fact;'));
    expect(await lock('RN-717')).toMatchObject({ code: 0 });
    expect(
      tree
        .governance()
        .ledger.slice(-2)
        .map(({ type, what }) => [type, what]),
    ).toEqual([
      [AGENT_DEVIATION, ['text: white space or order of members (safe)']],
      ['anamnese.fact_accepted', ['fields.factId.doc: another text (safe)']],
    ]);
    expect(await check()).toMatchObject({ code: 0 });
  });

  test('records a change of the vocabulary with the level that follows', async () => {
    addFourthTipo(tree);
    expect((await lock('RN-900')).stderr).toContain('level after FULL\n');
    expect(levelOf(AGENT_DEVIATION, tree.governance().ledger)).toBe('FULL');
    expect(await check()).toMatchObject({ code: 0 });
  });

  test('locks no schema that the lint refuses', async () => {
    tree.edit(avscOf(), swap('"maxItems": 20', '"maxItems": 200'));
    const before = written();
    const refused = await lock('RN-717');
    expect(refused).toMatchObject({ code: 5, stdout: '' });
    expect(refused.stderr).toContain('schema lint');
    expect(written()).toEqual(before);
  });

  test('adds nothing to a lock or a ledger that was altered', async () => {
    tree.edit(avscOf(), ANOTHER_DOC);
    tree.edit(LOCK, (text) => text.replace('it looped', 'he looped'));
    const before = written();
    const refused = await lock('RN-717');
    expect(refused).toMatchObject({ code: 5, stdout: '' });
    expect(refused.stderr).toContain('schema check');
    expect(written()).toEqual(before);
  });

  test.each([
    ['a merge that went wrong', (text: string) => `<<<<<<< ours\n${text}`],
    ['another shape', () => '{}'],
  ])('says what to restore behind %s', async (_name, spoil) => {
    tree.edit(LEDGER, spoil);
    const spoiled = written();
    for (const args of [
      ['schema', 'check'],
      ['schema', 'lock', '--rn', 'RN-717'],
    ]) {
      const refused = await tree.deviations(args);
      expect(refused).toMatchObject({ code: 5, stdout: '' });
      expect(refused.stderr).toContain('Restore both from the history');
    }
    expect(written()).toEqual(spoiled);
  });

  test('works on the tree its program stands in, from any folder and through a link', async () => {
    tree.edit(avscOf(), ANOTHER_DOC);
    const link = join(tree.folder, 'linked');
    symlinkSync(join(tree.folder, 'bin', 'deviations.js'), link);
    const shown = await startNode([link, 'schema', 'show'], { env: {}, cwd: '/' }).ended();
    expect(shown).toMatchObject({ code: 0, stdout: tree.read(avscOf()) });
    expect(await lock('RN-717', tmpdir())).toMatchObject({ code: 0 });
    expect(tree.governance().ledger.at(-1)).toMatchObject({ rn: 'RN-717' });
    expect(await tree.deviations(['schema', 'check'], {}, '/')).toMatchObject({ code: 0 });
  });
});

describe('schema diff', () => {
  test('of a file that is no schema is a data problem and not a crash', async () => {
    const file = join(tree.folder, 'broken.avsc');
    writeFileSync(file, 'null');
    const refused = await tree.deviations(['schema', 'diff', avscOf(), file]);
    expect(refused).toMatchObject({ code: 5, stdout: '' });
    expect(refused.stderr).toContain('schema lint');
  });

  test('tells each change of the tree with its effect, in the form that was asked for', async () => {
    addFourthTipo(tree);
    const told = await tree.deviations(['schema', 'diff', '-o', 'ndjson']);
    expect(told.code).toBe(0);
    expect(
      told.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toMatchObject([
      { type: AGENT_DEVIATION, effect: 'safe', where: 'fields.tipo.type.doc' },
      { type: AGENT_DEVIATION, effect: 'breaks readers', where: 'fields.tipo.type.symbols' },
    ]);
  });
});
