import { afterAll, beforeAll } from '@jest/globals';
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
