import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { checkRegistered, createRegistry, registerSchemas } from '../../../wire/index.ts';
import { describeChecking } from '../../support/schema-checking.ts';
import { openConfluentStub } from '../../support/schema-confluent-stub.ts';

let stub: Awaited<ReturnType<typeof openConfluentStub>>;
beforeAll(async () => {
  stub = await openConfluentStub();
});
afterAll(() => stub.close());

describeChecking("checking against a stub of Confluent's own registry", () => ({
  url: stub.url,
  forget: async () => stub.forget(),
}));

test('checking only ever looks up', async () => {
  stub.forget();
  const registry = createRegistry({ url: stub.url });
  await registerSchemas(registry);
  const before = stub.requests.length;
  await checkRegistered(registry);
  const asked = stub.requests.slice(before).map(({ method, path }) => `${method} ${path}`);
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.filter((one) => /^(PUT|DELETE) |^POST \/subjects\/[^/]+\/versions/.test(one))).toEqual([]);
});

test('a registry that does not answer is no finding but an outage', async () => {
  const closed = await openConfluentStub();
  await closed.close();
  await expect(checkRegistered(createRegistry({ url: closed.url }))).rejects.toMatchObject({
    code: 'REGISTRY_UNREACHABLE',
    exitCode: 4,
    retriable: true,
  });
});
