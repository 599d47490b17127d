import { afterEach, describe, expect, test } from '@jest/globals';
import { AGENT_DEVIATION, loadSchemaText } from '../../../schemas/index.ts';
import { createRegistry, type Registry, schemaId, within } from '../../../wire/index.ts';
import { openRegistryStub, type RegistryStub, type StubAnswer, type StubRequest } from '../../support/registry-stub.ts';

const stubs: RegistryStub[] = [];

const stub = async (answer: (request: StubRequest) => StubAnswer | undefined): Promise<RegistryStub> => {
  const opened = await openRegistryStub(answer);
  stubs.push(opened);
  return opened;
};

afterEach(async () => {
  await Promise.all(stubs.splice(0).map((one) => one.close()));
});

const TEXT = loadSchemaText(AGENT_DEVIATION);
const SECRET = 'not to be told';
const NOT_FOUND = { status: 404, body: { error_code: 40403, message: 'Schema not found' } };
const PAGE = '<html><body>somebody’s proxy</body></html>';

const ask = (url: string, more: { readonly timeoutMs?: number } = {}): Registry => createRegistry({ url, ...more });
const saying = async (answer: StubAnswer): Promise<Registry> => ask((await stub(() => answer)).url);

describe('an answer of the registry', () => {
  test('with a text makes the id known', async () => {
    const server = await stub(() => ({ status: 200, body: { schema: TEXT } }));
    expect(await ask(server.url).schemaById(schemaId(7))).toEqual({ known: true, text: TEXT });
    expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /schemas/ids/7']);
  });

  test('with a text of another kind makes the id known and foreign', async () => {
    const registry = await saying({ status: 200, body: { schema: 'syntax = "proto3";', schemaType: 'PROTOBUF' } });
    expect(await registry.schemaById(schemaId(7))).toEqual({ known: true, text: '' });
  });

  test('404 in the registry’s own words makes the id, the text, the subject and the level unknown', async () => {
    const registry = await saying(NOT_FOUND);
    expect(await registry.schemaById(schemaId(7))).toEqual({ known: false });
    expect(await registry.idOfText(AGENT_DEVIATION, TEXT)).toBeUndefined();
    expect(await registry.hasSubject(AGENT_DEVIATION)).toBe(false);
    expect(await registry.level(AGENT_DEVIATION)).toBeUndefined();
  });

  test('is asked with the file’s own text, under a base path as well', async () => {
    const server = await stub(() => ({ status: 200, body: { id: 7, version: 1 } }));
    expect(await ask(`${server.url}/apis/ccompat/v7/`).idOfText(AGENT_DEVIATION, TEXT)).toBe(7);
    expect(server.requests[0]?.path).toBe('/apis/ccompat/v7/subjects/anamnese.agent_deviation');
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({ schema: TEXT });
  });

  test('409 to a registration is a mismatch of contracts', async () => {
    const registry = await saying({ status: 409, body: { error_code: 409, message: SECRET } });
    const registering = registry.register(AGENT_DEVIATION, TEXT);
    await expect(registering).rejects.toMatchObject({ code: 'CONTRACT_MISMATCH' });
    await expect(registering).rejects.not.toThrow(SECRET);
  });
});

describe('an outage', () => {
  const answers: readonly (readonly [string, StubAnswer | undefined])[] = [
    ['a registry that never answers', undefined],
    ['503 with a page of a proxy', { status: 503, body: PAGE }],
    ['404 with a page of a proxy', { status: 404, body: PAGE }],
    ['404 with JSON of a proxy', { status: 404, body: { message: 'no Route matched with those values' } }],
    ['404 with nothing in JSON', { status: 404, body: null }],
    ['503 with nothing in JSON', { status: 503, body: null }],
    ['404 without a word', { status: 404, body: '' }],
    ['500 in the registry’s own words', { status: 500, body: { error_code: 50001, message: SECRET } }],
    ['429', { status: 429, body: { error_code: 42901, message: SECRET } }],
    ['200 with a page of a proxy', { status: 200, body: PAGE }],
    ['200 without a schema in it', { status: 200, body: {} }],
    ['a moved registry', { status: 302, body: PAGE }],
  ];

  test.each(answers)('is what %s is taken for, and is told without a word of its', async (_, answer) => {
    const server = await stub(() => answer);
    const asking = ask(server.url, { timeoutMs: 100 }).schemaById(schemaId(7));
    await expect(asking).rejects.toMatchObject({ name: 'StreamError', code: 'REGISTRY_UNREACHABLE', retriable: true });
    await expect(asking).rejects.not.toThrow(SECRET);
    await expect(asking).rejects.not.toHaveProperty('cause');
  });

  test('is what they are taken for by the other questions as well, so that no deploy or start takes one for a no', async () => {
    for (const [, answer] of answers.filter(([, one]) => one !== undefined && one.status >= 400)) {
      const registry = ask((await stub(() => answer)).url);
      for (const asking of [
        registry.idOfText(AGENT_DEVIATION, TEXT),
        registry.hasSubject(AGENT_DEVIATION),
        registry.register(AGENT_DEVIATION, TEXT),
        registry.level(AGENT_DEVIATION),
        registry.setLevel(AGENT_DEVIATION, 'FULL_TRANSITIVE'),
      ]) {
        await expect(asking).rejects.toMatchObject({ code: 'REGISTRY_UNREACHABLE' });
      }
    }
  });

  test('is told with the status of a server that says so', async () => {
    const server = await stub(() => ({ status: 503, body: PAGE }));
    await expect(ask(server.url).level(AGENT_DEVIATION)).rejects.toThrow(
      `the level of subject ${AGENT_DEVIATION}, status 503 at ${server.url}`,
    );
  });

  test('leaves no request open behind it', async () => {
    const server = await stub(() => undefined);
    const asking = ask(server.url, { timeoutMs: 100 }).schemaById(schemaId(7));
    await expect(asking).rejects.toMatchObject({ code: 'REGISTRY_UNREACHABLE' });
    await within(10_000, server.hungUpOn, () => {
      throw new Error('waited for the client to hang up on a request that is not answered');
    });
  });

  test('is what a refused connection is taken for, though the client calls it status 400', async () => {
    const gone = await openRegistryStub(() => NOT_FOUND);
    await gone.close();
    await expect(ask(gone.url).schemaById(schemaId(7))).rejects.toMatchObject({ code: 'REGISTRY_UNREACHABLE' });
    await expect(ask(gone.url).idOfText(AGENT_DEVIATION, TEXT)).rejects.toMatchObject({ code: 'REGISTRY_UNREACHABLE' });
    await expect(ask(gone.url).hasSubject(AGENT_DEVIATION)).rejects.toMatchObject({ code: 'REGISTRY_UNREACHABLE' });
  });

  test('is asked about once: who holds does the retrying', async () => {
    const server = await stub(() => ({ status: 503, body: PAGE }));
    await expect(ask(server.url).schemaById(schemaId(7))).rejects.toMatchObject({ code: 'REGISTRY_UNREACHABLE' });
    expect(server.requests).toHaveLength(1);
  });
});

describe('credentials', () => {
  test.each([401, 403])('that are refused with %i are told as such, and not their values', async (status) => {
    const server = await stub(() => ({ status, body: PAGE }));
    const registry = createRegistry({ url: server.url, username: 'somebody', password: SECRET });
    const asking = registry.schemaById(schemaId(7));
    await expect(asking).rejects.toMatchObject({ code: 'REGISTRY_REFUSED' });
    await expect(asking).rejects.not.toThrow(SECRET);
  });

  test('are sent, and those of one client never by another in the same process', async () => {
    const server = await stub(() => NOT_FOUND);
    const clients = [
      createRegistry({ url: server.url, username: 'one', password: 'first' }),
      createRegistry({ url: server.url }),
      createRegistry({ url: server.url, username: 'two', password: 'second' }),
    ];
    for (const client of clients) await client.schemaById(schemaId(7));
    const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString('base64')}`;
    expect(server.requests.map(({ authorization }) => authorization)).toEqual([
      basic('one:first'),
      undefined,
      basic('two:second'),
    ]);
  });

  test('and addresses of two clients stay apart', async () => {
    const [one, two] = [await stub(() => NOT_FOUND), await stub(() => ({ status: 200, body: { schema: TEXT } }))];
    const [first, second] = [ask(one.url, { timeoutMs: 100 }), ask(two.url)];
    expect(await first.schemaById(schemaId(1))).toEqual({ known: false });
    expect(await second.schemaById(schemaId(1))).toEqual({ known: true, text: TEXT });
    expect([one.requests.length, two.requests.length]).toEqual([1, 1]);
  });
});
