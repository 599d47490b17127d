import { expect, test } from '@jest/globals';
import { AGENT_DEVIATION } from '../../../schemas/index.ts';
import { registeredId, type SchemaId, schemaId } from '../../../wire/index.ts';

/** A registry that answers its look-ups of a text one after the other. */
const registry = (answers: readonly (SchemaId | undefined)[], hasSubject: boolean) => {
  let asked = 0;
  return {
    idOfText: () => {
      asked += 1;
      return Promise.resolve(answers[asked - 1]);
    },
    hasSubject: () => Promise.resolve(hasSubject),
  };
};

test('a text that is registered while it is looked for is found, not taken for another contract', async () => {
  expect(await registeredId(registry([undefined, schemaId(5)], true), AGENT_DEVIATION)).toBe(5);
});

test('other texts under the subject are another contract, and no subject is one to wait for', async () => {
  await expect(registeredId(registry([undefined, undefined], true), AGENT_DEVIATION)).rejects.toMatchObject({
    code: 'CONTRACT_MISMATCH',
  });
  await expect(registeredId(registry([undefined], false), AGENT_DEVIATION)).rejects.toMatchObject({
    code: 'SUBJECT_MISSING',
  });
});
