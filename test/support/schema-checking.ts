/** What `schema check` finds in a registry, for every registry it may meet. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { AGENT_DEVIATION, type Contract, EVENT_TYPES, loadContract } from '../../schemas/index.ts';
import { checkRegistered, createRegistry, type Registry, registerSchemas } from '../../wire/index.ts';
import { edited, swap } from './schema-edits.ts';
import { ANOTHER_DOC, FOURTH_TIPO, lockedInSteps } from './schema-governance.ts';
import type { OpenRegistry } from './schema-registering.ts';
import { PATIENT_MS } from './schema-registry-state.ts';

const TODAY = loadContract();
const FOURTH = lockedInSteps([['RN-900', FOURTH_TIPO]]);

export const describeChecking = (name: string, open: () => OpenRegistry): void => {
  describe(name, () => {
    const registry = (): Registry => createRegistry({ url: open().url, timeoutMs: PATIENT_MS });
    const found = async (contract: Contract): Promise<readonly string[]> =>
      (await checkRegistered(registry(), contract)).map(({ rule, where }) => `${rule} ${where}`);

    beforeEach(() => open().forget());

    test('finds nothing once everything is registered, also behind a change of the vocabulary', async () => {
      await registerSchemas(registry(), {}, TODAY);
      expect(await found(TODAY)).toEqual([]);
      await registerSchemas(registry(), { rn: 'RN-900' }, FOURTH);
      expect(await found(FOURTH)).toEqual([]);
    });

    test('finds each type that is not registered', async () => {
      expect(await found(TODAY)).toEqual(EVENT_TYPES.map((type) => `not-registered ${type}`));
      await registerSchemas(registry(), {}, TODAY);
      expect(await found(FOURTH)).toEqual([`not-registered ${AGENT_DEVIATION}`]);
    });

    test.each(['NONE', 'BACKWARD', 'FULL'])('finds a level of %s that the ledger does not say', async (level) => {
      await registerSchemas(registry(), {}, TODAY);
      await registry().setLevel(AGENT_DEVIATION, level);
      expect(await found(TODAY)).toEqual([`level-differs ${AGENT_DEVIATION}`]);
    });

    test('finds a version that this tree never published', async () => {
      await registerSchemas(registry(), {}, TODAY);
      await registry().register(AGENT_DEVIATION, edited(swap('"maxItems": 20', '"maxItems": 50')));
      expect(await found(TODAY)).toEqual([`version-not-published ${AGENT_DEVIATION} version 2`]);
    });

    test('finds a version that the text of this tree does not go with, though it is not the latest', async () => {
      await registerSchemas(registry(), {}, TODAY);
      await registry().setLevel(AGENT_DEVIATION, 'NONE');
      await registry().register(AGENT_DEVIATION, edited(swap(', "reparo_pelo_usuario"]', ']')));
      await registry().register(AGENT_DEVIATION, edited(swap('"maxItems": 20', '"maxItems": 50')));
      await registry().setLevel(AGENT_DEVIATION, 'FULL_TRANSITIVE');
      expect(await found(TODAY)).toEqual([
        `version-not-published ${AGENT_DEVIATION} version 2`,
        `version-incompatible ${AGENT_DEVIATION} version 2`,
        `version-not-published ${AGENT_DEVIATION} version 3`,
      ]);
    });

    test('finds that the contract has moved on without this tree', async () => {
      await registerSchemas(registry(), {}, TODAY);
      await registerSchemas(registry(), { rn: 'RN-900' }, FOURTH);
      expect(await found(TODAY)).toEqual([
        `level-differs ${AGENT_DEVIATION}`,
        `version-not-published ${AGENT_DEVIATION} version 2`,
        `version-incompatible ${AGENT_DEVIATION} version 2`,
      ]);
    });

    test('takes a text that the registry hands back in its own writing for the same', async () => {
      const compact = lockedInSteps([['RN-800', (text) => JSON.stringify(JSON.parse(text))]]);
      await registerSchemas(registry(), {}, compact);
      expect(await found(compact)).toEqual([]);
      expect(await found(TODAY)).toEqual([]);
    });

    test('knows every published text, not only the last', async () => {
      const documented = lockedInSteps([['RN-800', ANOTHER_DOC]]);
      await registerSchemas(registry(), {}, documented);
      expect(await found(documented)).toEqual([]);
    });
  });
};
