import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createRegistry, type Registry, registerSchemas, schemaId } from '../../../wire/index.ts';
import { openConfluentStub } from '../../support/schema-confluent-stub.ts';
import { describeRegistering } from '../../support/schema-registering.ts';

let stub: Awaited<ReturnType<typeof openConfluentStub>>;
beforeAll(async () => {
  stub = await openConfluentStub();
});
afterAll(() => stub.close());

describeRegistering("registering with a stub of Confluent's own registry", () => ({
  url: stub.url,
  forget: async () => stub.forget(),
}));

const FORGETFUL: readonly (readonly [string, Partial<Registry>])[] = [
  ['a level', { setLevel: async () => {} }],
  ['a text', { register: async () => schemaId(7) }],
];
test.each(FORGETFUL)(
  'a registry that takes %s and does not keep it is noticed by reading back',
  async (_name, deed) => {
    stub.forget();
    const registry = { ...createRegistry({ url: stub.url }), ...deed };
    await expect(registerSchemas(registry)).rejects.toThrow('does not read back');
  },
);
