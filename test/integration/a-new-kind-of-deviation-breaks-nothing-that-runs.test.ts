import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createSinkJudge } from '../../consumer/index.ts';
import { AGENT_DEVIATION, loadContract } from '../../schemas/index.ts';
import {
  createEncoder,
  createRegistry,
  createSchemaLookup,
  frame,
  kafka,
  registeredId,
  registerSchemas,
  schemaId,
  unframe,
} from '../../wire/index.ts';
import { aDeviation, SESSION, uuids } from '../support/builders.ts';
import { openDyingProxy } from '../support/schema-dying-proxy.ts';
import { describeWithOwnRegistry } from '../support/schema-own-registry.ts';
import { stateOf } from '../support/schema-registry-state.ts';
import { addFifthTipo, addFourthTipo, copyTree, type SchemaTree } from '../support/schema-tree.ts';

/** Several runs of the program, each with a start of its own. */
const LIMIT_MS = 120_000;

/** The tree of tomorrow, as a program of its own: frames an event of each kind, and decodes what it is given. */
const TOMORROW = `
  import { createEncoder, createRegistry, createSchemaLookup, frame, registeredId, unframe } from './wire/index.ts';
  const [url, event, ...records] = process.argv.slice(2);
  const type = 'anamnese.agent_deviation';
  const registry = createRegistry({ url });
  const id = await registeredId(registry, type);
  const made = ['laco', 'alucinacao'].map((tipo) =>
    frame(id, createEncoder(type).encode({ ...JSON.parse(event), tipo })).toString('hex'));
  const lookup = createSchemaLookup(registry);
  const read = [];
  for (const record of [...records, ...made]) {
    const unframed = unframe(Buffer.from(record, 'hex'));
    const contract = await lookup.contractOf(unframed.id);
    const decoded = contract.decoder.decode(unframed.body);
    read.push(decoded.readable ? decoded.event.tipo : decoded.reason);
  }
  process.stdout.write(JSON.stringify({ id, made, read }));
`;

describeWithOwnRegistry('a new kind of deviation breaks nothing that runs', (open) => {
  let tree: SchemaTree;
  const registry = () => createRegistry({ url: open().url });
  const env = (url = open().url) => ({ SCHEMA_REGISTRY_URL: url });
  const state = () => stateOf(registry(), { ...loadContract(), governance: tree.governance() });

  beforeAll(async () => {
    tree = copyTree();
    addFourthTipo(tree);
    expect(await tree.deviations(['schema', 'lock', '--rn', 'RN-900'])).toMatchObject({ code: 0 });
  }, LIMIT_MS);
  afterAll(() => tree.remove());

  test('a change that was not locked is not registered', async () => {
    await open().forget();
    await registerSchemas(registry());
    const before = await state();
    const unlocked = copyTree();
    try {
      addFourthTipo(unlocked);
      expect(await unlocked.deviations(['schema', 'lint'])).toMatchObject({ code: 0 });
      expect(await unlocked.deviations(['schema', 'check'])).toMatchObject({ code: 5 });
      const refused = await unlocked.deviations(['schema', 'register', '--rn', 'RN-900'], env());
      expect(refused).toMatchObject({ code: 5, stdout: '' });
      expect(await state()).toEqual(before);
    } finally {
      unlocked.remove();
    }
  });

  test.each([
    ['without its rule', []],
    ['by another rule', ['--rn', 'RN-901']],
  ])('a locked change is not registered %s', async (_name, rule) => {
    await open().forget();
    await registerSchemas(registry());
    const before = await state();
    const refused = await tree.deviations(['schema', 'register', ...rule], env());
    expect(refused).toMatchObject({ code: 3, stdout: '' });
    expect(refused.stderr).toContain('changes its vocabulary');
    expect(await state()).toEqual(before);
    expect(await tree.deviations(['schema', 'check'])).toMatchObject({ code: 0 });
    expect(await tree.deviations(['schema', 'check'], env())).toMatchObject({ code: 5 });
  });

  test(
    'registered by its rule it says each step, and cut off after any of them it is resumed to the same end',
    async () => {
      const register = (url?: string) => tree.deviations(['schema', 'register', '--rn', 'RN-900'], env(url));
      const steps = (stderr: string) => stderr.split('\n').filter((line) => line.startsWith(`${AGENT_DEVIATION}: `));
      const all = ['level BACKWARD_TRANSITIVE', 'register', 'level FULL'].map((step) => `${AGENT_DEVIATION}: ${step}`);

      await open().forget();
      await registerSchemas(registry());
      const whole = await register();
      expect(whole).toMatchObject({ code: 0 });
      expect(steps(whole.stderr)).toEqual(all);
      const wanted = await state();
      expect(wanted).toMatchObject({ [AGENT_DEVIATION]: { level: 'FULL', texts: [0, 1] } });

      for (const nth of [1, 2, 3]) {
        await open().forget();
        await registerSchemas(registry());
        const proxy = await openDyingProxy(open().url, nth);
        try {
          const cut = await register(proxy.url);
          expect({ code: cut.code, steps: steps(cut.stderr) }).toEqual({ code: 4, steps: all.slice(0, nth) });
          expect(proxy.writes()).toBe(nth);
        } finally {
          await proxy.close();
        }
        const resumed = await register();
        expect({ code: resumed.code, steps: steps(resumed.stderr) }).toEqual({ code: 0, steps: all.slice(nth) });
        expect(await state()).toEqual(wanted);
      }
      expect(await tree.deviations(['schema', 'check'], env())).toMatchObject({ code: 0 });
    },
    LIMIT_MS,
  );

  test(
    'old and new records are read by the new tree, and the old sink stores the kinds it knows and sets the new one aside',
    async () => {
      await open().forget();
      const [registered] = await registerSchemas(registry());
      const event = aDeviation({ tipo: 'reparo_pelo_usuario', evidenceEventIds: uuids(3) });
      const oldRecord = frame(schemaId(registered?.id ?? 0), createEncoder(AGENT_DEVIATION).encode(event));
      await tree.deviations(['schema', 'register', '--rn', 'RN-900'], env());

      const tomorrow = await tree.run(TOMORROW, [open().url, JSON.stringify(event), oldRecord.toString('hex')]);
      expect(tomorrow.stderr).toBe('');
      const { id, made, read } = JSON.parse(tomorrow.stdout) as { id: number; made: string[]; read: string[] };
      expect(id).not.toBe(registered?.id);
      expect(read).toEqual(['reparo_pelo_usuario', 'laco', 'alucinacao']);

      // This tree is the old one: its producers go on under the old id, its sink meets both.
      expect(await registeredId(registry(), AGENT_DEVIATION)).toBe(registered?.id);
      const lookup = createSchemaLookup(registry());
      const judge = createSinkJudge({ agents: undefined });
      const outcomes: string[] = [];
      for (const value of [oldRecord, ...made.map((hex) => Buffer.from(hex, 'hex'))]) {
        const unframed = unframe(value);
        if (!unframed.framed) throw new Error(unframed.reason);
        const contracts = new Map([[unframed.id, await lookup.contractOf(unframed.id)]]);
        const record = { offset: kafka.offset(0n), key: Buffer.from(SESSION), value, headers: {}, recordTimeMs: 0 };
        const judged = judge.judge(record, contracts);
        outcomes.push(
          judged.kind === 'row' ? judged.row.event.tipo : judged.kind === 'quarantined' ? judged.pointer.reason : '',
        );
      }
      expect(outcomes).toEqual(['reparo_pelo_usuario', 'laco', 'TIPO_UNKNOWN']);
    },
    LIMIT_MS,
  );

  test(
    'a second new kind goes the same way from FULL, by a rule of its own',
    async () => {
      await open().forget();
      await registerSchemas(registry());
      await tree.deviations(['schema', 'register', '--rn', 'RN-900'], env());
      addFifthTipo(tree);
      expect(await tree.deviations(['schema', 'lock', '--rn', 'RN-902'])).toMatchObject({ code: 0 });
      const before = await state();
      expect(await tree.deviations(['schema', 'register', '--rn', 'RN-900'], env())).toMatchObject({ code: 3 });
      expect(await state()).toEqual(before);
      expect(await tree.deviations(['schema', 'register', '--rn', 'RN-902'], env())).toMatchObject({ code: 0 });
      expect(await state()).toMatchObject({ [AGENT_DEVIATION]: { level: 'FULL', texts: [0, 1, 2] } });
      expect(await tree.deviations(['schema', 'check'], env())).toMatchObject({ code: 0 });
    },
    LIMIT_MS,
  );

  test('checking ends with 5 on a finding and with 4 when the registry is away', async () => {
    await open().forget();
    const empty = await tree.deviations(['schema', 'check', '-o', 'json'], env());
    expect(empty.code).toBe(5);
    expect((JSON.parse(empty.stdout) as { rule: string }[]).map(({ rule }) => rule)).toEqual(
      loadContract().texts.map(() => 'not-registered'),
    );
    const proxy = await openDyingProxy(open().url, 0);
    try {
      expect(await tree.deviations(['schema', 'check'], env(proxy.url))).toMatchObject({ code: 4, stdout: '' });
      expect(await tree.deviations(['schema', 'register'], env(proxy.url))).toMatchObject({ code: 4, stdout: '' });
    } finally {
      await proxy.close();
    }
  });
});
