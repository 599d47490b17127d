/** What `schema register` promises, for every registry it may meet: one suite, opened over each of them. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { AGENT_DEVIATION, type Contract, EVENT_TYPES, isSameSchema, loadContract } from '../../schemas/index.ts';
import { createRegistry, type Registry, registerSchemas } from '../../wire/index.ts';
import { addField, type Edit, PIECES, swap } from './schema-edits.ts';
import { dyingAt, PATIENT_MS, stateOf } from './schema-registry-state.ts';
import { ANOTHER_DOC, FIFTH_TIPO, FOURTH_TIPO, lockedInSteps } from './schema-governance.ts';

export interface OpenRegistry {
  readonly url: string;
  /** Without any subject, as on its first day. */
  forget(): Promise<void>;
}

const TODAY = loadContract();
const FOURTH = lockedInSteps([['RN-900', FOURTH_TIPO]]);
const FIFTH = lockedInSteps([
  ['RN-900', FOURTH_TIPO],
  ['RN-901', ANOTHER_DOC],
  ['RN-902', FIFTH_TIPO],
]);

export const describeRegistering = (name: string, open: () => OpenRegistry): void => {
  describe(name, () => {
    const registry = (): Registry => createRegistry({ url: open().url, timeoutMs: PATIENT_MS });
    const steps: string[] = [];
    const registering = (contract: Contract, rn?: string, over: Registry = registry()) =>
      registerSchemas(over, { ...(rn === undefined ? {} : { rn }), say: (step) => steps.push(step) }, contract);
    const state = (contract: Contract = FIFTH): Promise<unknown> => stateOf(registry(), contract);
    const refusedAsItIs = async (contract: Contract, rn?: string): Promise<void> => {
      const before = await state();
      steps.length = 0;
      await expect(registering(contract, rn)).rejects.toMatchObject({ code: 'CONTRACT_MISMATCH', exitCode: 3 });
      expect(await state()).toEqual(before);
      expect(steps).toEqual([]);
    };

    beforeEach(async () => {
      await open().forget();
      steps.length = 0;
    });

    test('registers each type and then its level on an empty registry, and reads both back', async () => {
      const registered = await registering(TODAY);
      expect(registered.map(({ subject, level }) => [subject, level])).toEqual(
        EVENT_TYPES.map((type) => [type, 'FULL_TRANSITIVE']),
      );
      expect(steps).toEqual(EVENT_TYPES.flatMap((type) => [`${type}: register`, `${type}: level FULL_TRANSITIVE`]));
      for (const { id, subject } of registered) {
        const answer = await registry().schemaById(id);
        const own = TODAY.texts.find(({ type }) => type === subject)?.text ?? '';
        expect(answer.known && isSameSchema(answer.text, own)).toBe(true);
      }
    });

    test('says and changes nothing the second time', async () => {
      const first = await registering(TODAY);
      const before = await state();
      steps.length = 0;
      expect(await registering(TODAY)).toEqual(first);
      expect(steps).toEqual([]);
      expect(await state()).toEqual(before);
    });

    test('registers every text ever published on an empty registry, the oldest first', async () => {
      await registering(FIFTH);
      // Apicurio takes a text that differs in a doc alone for the one it has.
      const [first, ...others] = (await registry().versions(AGENT_DEVIATION)).map(({ text }) => text);
      expect(isSameSchema(first ?? '', TODAY.texts[0]?.text ?? '')).toBe(true);
      expect(others.length).toBeGreaterThanOrEqual(2);
      expect(await registry().level(AGENT_DEVIATION)).toBe('FULL');
    });

    test.each(['BACKWARD', 'BACKWARD_TRANSITIVE', 'FORWARD', 'FORWARD_TRANSITIVE', 'FULL'])(
      'refuses and leaves a level of %s that somebody else set',
      async (level) => {
        await registering(TODAY);
        await registry().setLevel(AGENT_DEVIATION, level);
        await refusedAsItIs(TODAY);
        await expect(registering(TODAY)).rejects.toThrow(`level ${level}, which the ledger does not say`);
        if (!['BACKWARD_TRANSITIVE', 'FULL'].includes(level)) await refusedAsItIs(FOURTH, 'RN-900');
      },
    );

    test('says aloud when it sets a level where none is', async () => {
      await registering(TODAY);
      await registry().setLevel(AGENT_DEVIATION, 'NONE');
      steps.length = 0;
      await registering(TODAY);
      expect(steps).toEqual([`${AGENT_DEVIATION}: level FULL_TRANSITIVE`]);
    });

    test('registers a change that FULL_TRANSITIVE lets pass without another rule', async () => {
      await registering(TODAY);
      const withTurn = addField(
        '{ "name": "turnId", "type": { "type": "string", "logicalType": "uuid" }, "default": "00000000-0000-0000-0000-000000000000", "doc": "The turn." }',
      );
      steps.length = 0;
      await registering(lockedInSteps([['RN-800', withTurn]]));
      expect(steps).toEqual([`${AGENT_DEVIATION}: register`]);
    });

    test('refuses a changed vocabulary without its rule, or by another, and touches nothing', async () => {
      await registering(TODAY);
      await refusedAsItIs(FOURTH);
      await refusedAsItIs(FOURTH, 'RN-901');
      await refusedAsItIs(FOURTH, 'ADR-0205');
    });

    test('registers a changed vocabulary by its rule: open the level, register, close it for good', async () => {
      await registering(TODAY);
      steps.length = 0;
      await registering(FOURTH, 'RN-900');
      expect(steps).toEqual(
        ['level BACKWARD_TRANSITIVE', 'register', 'level FULL'].map((step) => `${AGENT_DEVIATION}: ${step}`),
      );
      expect(await state()).toMatchObject({ [AGENT_DEVIATION]: { level: 'FULL', texts: [0, 1] } });
      expect(await registry().level('anamnese.fact_accepted')).toBe('FULL_TRANSITIVE');
      steps.length = 0;
      await registering(FOURTH);
      expect(steps).toEqual([]);
    });

    test('goes on where it was killed, and says only what is left to do', async () => {
      await registering(TODAY);
      await expect(registering(FOURTH, 'RN-900', dyingAt(registry(), 1, 'after').registry)).rejects.toThrow('killed');
      await refusedAsItIs(FOURTH);
      await registering(FOURTH, 'RN-900');
      expect(steps).toEqual([`${AGENT_DEVIATION}: register`, `${AGENT_DEVIATION}: level FULL`]);
    });

    test('registers a second change of the vocabulary from FULL, by the rule of that change', async () => {
      await registering(TODAY);
      await registering(FOURTH, 'RN-900');
      await refusedAsItIs(FIFTH, 'RN-900');
      await refusedAsItIs(FIFTH, 'RN-901');
      steps.length = 0;
      await registering(FIFTH, 'RN-902');
      expect(steps[0]).toBe(`${AGENT_DEVIATION}: level BACKWARD_TRANSITIVE`);
      expect(steps.at(-1)).toBe(`${AGENT_DEVIATION}: level FULL`);
      const latest = (await registry().versions(AGENT_DEVIATION)).at(-1)?.text ?? '';
      expect(isSameSchema(latest, FIFTH.texts[0]?.text ?? '')).toBe(true);
    });

    test('refuses the tree of yesterday once the vocabulary has changed', async () => {
      await registering(TODAY);
      await registering(FOURTH, 'RN-900');
      await refusedAsItIs(TODAY);
      await refusedAsItIs(TODAY, 'RN-900');
    });

    const notAppended: readonly (readonly [string, Edit])[] = [
      ['taken out', swap(', "reparo_pelo_usuario"]', ']')],
      ['moved', swap(PIECES.symbols, '["cancelamento_pelo_usuario", "laco", "reparo_pelo_usuario"]')],
      ['put before the others', swap('["laco"', '["novo", "laco"')],
    ];
    test.each(notAppended)('refuses a vocabulary with a word %s, whatever rule is named', async (_name, edit) => {
      await registering(TODAY);
      await refusedAsItIs(lockedInSteps([['RN-900', edit]]), 'RN-900');
    });

    const killed = [
      ['a first registration', undefined, TODAY, undefined],
      ['a change of the vocabulary', TODAY, FOURTH, 'RN-900'],
      ['a first registration of a long history', undefined, FIFTH, 'RN-902'],
    ] as const;
    test.each(killed)('killed at any write of %s and run again, it ends in the same state', async (...row) => {
      const [, before, after, rn] = row;
      const prepare = async (): Promise<void> => {
        await open().forget();
        if (before !== undefined) await registering(before);
      };
      await prepare();
      const counting = dyingAt(registry(), Infinity, 'before');
      await registering(after, rn, counting.registry);
      const wanted = await state(after);
      expect(counting.writes()).toBeGreaterThanOrEqual(3);

      for (let nth = 1; nth <= counting.writes(); nth += 1) {
        for (const when of ['before', 'after'] as const) {
          await prepare();
          await expect(registering(after, rn, dyingAt(registry(), nth, when).registry)).rejects.toThrow('killed');
          await registering(after, rn);
          expect({ nth, when, state: await state(after) }).toEqual({ nth, when, state: wanted });
        }
      }
    });
  });
};
