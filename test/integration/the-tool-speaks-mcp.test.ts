/** `deviations mcp` as a process of its own, spoken to by the official client, and by one that keeps to no rule. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { type CallToolResult, CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { mcpTool, type RefusalCode, refused, toolDefinition } from '../../producer/index.ts';
import { aContext, anInput, uuids } from '../support/builders.ts';
import { type ForeignRecord, readTopic } from '../support/foreign-reader.ts';
import { type Ended, linesOf, PROGRAM } from '../support/processes.ts';
import { enterScene, type Scene } from '../support/stack-scene.ts';
import { waitFor } from '../support/wait-for.ts';

type Json = Readonly<Record<string, unknown>>;

/** A detail of a person that must come out nowhere. */
const DETAIL = 'Zuleika-Prenninger-0713';
const CONTEXT_KEY = 'anamnese/context';

const contextOf = (toolCallId: string, more: Json = {}) => aContext({ sessionId: randomUUID(), toolCallId, ...more });

const recordOf = (sessionId: string): Promise<ForeignRecord> =>
  waitFor('the record of the session on the topic', async () =>
    (await readTopic(scene.topic)).find(({ key }) => key === sessionId),
  );

/** Lines of our own log, without the detail. */
const expectLogOnly = (stderr: string): void => {
  expect(stderr).not.toContain(DETAIL);
  for (const line of linesOf(stderr)) expect(JSON.parse(line)).toMatchObject({ level: expect.any(String) });
};

let scene: Scene;

beforeAll(async () => {
  scene = await enterScene('the-tool-speaks-mcp', { partitions: 1 });
});

afterAll(() => scene.leave());

describe('the official client', () => {
  let client: Client;
  let transport: StdioClientTransport;
  const stderr: string[] = [];

  beforeAll(async () => {
    transport = new StdioClientTransport({
      command: process.execPath,
      args: [PROGRAM, 'mcp', '--log-level', 'debug'],
      env: { ...scene.env },
      cwd: scene.folder,
      stderr: 'pipe',
    });
    transport.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk.toString('utf8')));
    client = new Client({ name: 'an-engine', version: '1.0.0' });
    await client.connect(transport);
  });

  afterAll(() => client.close());

  /** As the client sends it, without a check of the arguments: they are what a model said. */
  const call = (input: unknown, meta?: Json): Promise<CallToolResult> =>
    client.request(
      {
        method: 'tools/call',
        params: { name: toolDefinition.name, arguments: input, ...(meta === undefined ? {} : { _meta: meta }) },
      },
      CallToolResultSchema,
    );

  const answerIn = (result: CallToolResult): unknown => {
    expect(result.content).toEqual([{ type: 'text', text: JSON.stringify(result.structuredContent) }]);
    return result.structuredContent;
  };

  test('is offered the one tool, as it is', async () => {
    expect(await client.listTools()).toEqual({ tools: [mcpTool()] });
  });

  test('records a deviation, and the event is on the topic', async () => {
    const context = contextOf('call_mcp', { sessionEventIds: uuids(2) });
    const input = anInput({ tipo: 'reparo_pelo_usuario', evidenceEventIds: uuids(3) });
    const result = await call(input, { [CONTEXT_KEY]: context });
    const answer = answerIn(result);
    expect(result.isError).toBe(false);
    expect(answer).toEqual({
      recorded: true,
      eventId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-5/),
      discardedFields: 0,
      evidence: { kept: 2, duplicates: 0, malformed: 0, unknown: 1, overCeiling: 0 },
    });
    expect((await recordOf(context.sessionId)).headers).toMatchObject({
      ce_id: (answer as Json)['eventId'],
      ce_tipo: 'reparo_pelo_usuario',
      ce_agente: 'desenvolvedor',
    });
  });

  const REFUSALS: readonly (readonly [string, unknown, RefusalCode])[] = [
    ['a text', JSON.stringify(anInput()), 'INPUT_NOT_AN_OBJECT'],
    ['a list', [anInput()], 'INPUT_NOT_AN_OBJECT'],
    ['nothing', undefined, 'INPUT_NOT_AN_OBJECT'],
    ['a wrapper', { arguments: anInput() }, 'TIPO_UNKNOWN'],
    ['a tipo of its own', anInput({ tipo: 'erro' }), 'TIPO_UNKNOWN'],
    ['a display name', anInput({ agente: 'Desenvolvedor' }), 'AGENTE_UNKNOWN'],
    ['text for a list', anInput({ evidenceEventIds: 'x' }), 'EVIDENCE_NOT_A_LIST'],
  ];

  test.each(REFUSALS)('that passes on %s gets our answer and not the SDK’s', async (_, input, code) => {
    const result = await call(input, { [CONTEXT_KEY]: contextOf('call_refused') });
    expect(answerIn(result)).toEqual(refused(code));
    expect(result.isError).toBe(true);
  });

  test.each<readonly [string, unknown, Json | undefined]>([
    ['no _meta', anInput(), undefined],
    ['another key', anInput(), { context: aContext() }],
    ['a context of the model’s', { ...anInput(), _meta: { [CONTEXT_KEY]: aContext() }, context: aContext() }, {}],
    ['half a context', anInput(), { [CONTEXT_KEY]: { sessionId: randomUUID() } }],
  ])('with %s is told that the context is invalid', async (_, input, meta) => {
    expect(answerIn(await call(input, meta))).toEqual(refused('CONTEXT_INVALID'));
  });

  test('that calls another tool gets a protocol error that does not repeat its name', async () => {
    const wrong = client.callTool({ name: DETAIL, arguments: {} });
    await expect(wrong).rejects.toMatchObject({ code: -32_602, message: expect.not.stringContaining(DETAIL) });
  });

  test('counts every field that the model added, and a detail hidden in one comes out nowhere', async () => {
    const context = contextOf('call_hidden', { userId: DETAIL, baggage: DETAIL });
    const input: unknown = JSON.parse(
      `{"agente": "desenvolvedor", "tipo": "laco", "evidenceEventIds": ["${DETAIL}"],
        "__proto__": {"note": "${DETAIL}"}, "${DETAIL}": 1, "pessoa": {"nome": "${DETAIL}"}}`,
    );
    const result = await call(input, { [CONTEXT_KEY]: context, note: DETAIL });
    expect(answerIn(result)).toMatchObject({ recorded: true, discardedFields: 3, evidence: { malformed: 1 } });
    expect(JSON.stringify(result)).not.toContain(DETAIL);
    const { headers, value } = await recordOf(context.sessionId);
    expect(JSON.stringify(headers)).not.toContain(DETAIL);
    expect(value?.includes(DETAIL)).toBe(false);
    expectLogOnly(stderr.join(''));
  });
});

/** What a client may write, one value a line. */
const said = (...values: readonly unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');

const request = (id: unknown, method: string, params?: unknown): Json => ({ jsonrpc: '2.0', id, method, params });

const aCall = (id: unknown, toolCallId: string): Json =>
  request(id, 'tools/call', {
    name: toolDefinition.name,
    arguments: anInput(),
    _meta: { [CONTEXT_KEY]: contextOf(toolCallId) },
  });

/** Everything on stdout, every line of it a message of MCP. */
const answersIn = ({ stdout }: Ended): readonly Json[] => {
  const lines = linesOf(stdout).map((line) => JSON.parse(line) as Json);
  for (const line of lines) expect(line).toMatchObject({ jsonrpc: '2.0' });
  return lines;
};

const recordedIn = ({ stdout }: { readonly stdout: string }): number => stdout.split('"recorded":true').length - 1;

describe('a client that keeps to no rule', () => {
  const NOTHING_OF_MCP: readonly string[] = [
    `{"name": "${DETAIL}\n`,
    said(DETAIL),
    said([request(1, 'ping', { note: DETAIL })]),
    said({ note: DETAIL }),
    said(request('two', 'tools/list', { _meta: DETAIL })),
    said({ ...request(3, 'tools/list'), [DETAIL]: DETAIL }),
    said(request(4, DETAIL)),
    said(request(5, 'initialize', { capabilities: { experimental: { [DETAIL]: 1 } } })),
    said(request(6, 'tools/call', { name: DETAIL, task: { ttl: 1, note: DETAIL } })),
    said({ jsonrpc: '2.0', id: 7, result: { note: DETAIL } }),
    said({ jsonrpc: '2.0', id: 8, error: { code: 1, message: DETAIL } }),
    said({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: DETAIL, progress: DETAIL } }),
    said({ jsonrpc: '2.0', method: `notifications/${DETAIL}` }),
    `${DETAIL}${' '.repeat(16 * 1024 * 1024)}\n`,
  ];

  test('reads constants only, and its next call is recorded', async () => {
    const input = NOTHING_OF_MCP.join('') + said(aCall(9, 'call_after_all'));
    const ended = await scene.run(['mcp', '--log-level', 'debug'], input);
    expect(ended).toMatchObject({ code: 0 });
    const answers = answersIn(ended);
    // An error is an object with a code and a message, by JSON-RPC.
    const errors = answers.flatMap(({ id, error }) =>
      error === undefined ? [] : [[id, error as { code: number; message: string }] as const],
    );
    expect(errors.map(([id, { code }]) => [id, code])).toEqual([
      [undefined, -32_700],
      [undefined, -32_600],
      [undefined, -32_600],
      [undefined, -32_600],
      ['two', -32_600],
      [3, -32_600],
      [4, -32_601],
      [5, -32_603],
      [6, -32_603],
      [undefined, -32_700],
    ]);
    const texts = new Set(errors.map(([, { code, message }]) => `${code} ${message}`));
    expect(texts.size).toBe(new Set(errors.map(([, { code }]) => code)).size);
    expect(answers.find(({ id }) => id === 9)).toMatchObject({ result: { structuredContent: { recorded: true } } });
    expect(ended.stdout).not.toContain(DETAIL);
    expectLogOnly(ended.stderr);
    expect(ended.stderr.split('a line is no MCP message')).toHaveLength(8);
  });

  test('that writes a call and closes its end at once still reads the answer', async () => {
    const calls = Array.from({ length: 100 }, (_, n) => aCall(n, `call_${n}`));
    const ended = await scene.run(['mcp'], said(...calls));
    expect(ended.code).toBe(0);
    expect(recordedIn(ended)).toBe(100);
    expectLogOnly(ended.stderr);
  });
});

describe('the end', () => {
  /** Speaks to a server whose input stays open, waits until it has answered the ping among it, and sends SIGTERM. */
  const endedBySigterm = async (env: Readonly<Record<string, string>>, ...messages: readonly Json[]) => {
    const server = spawn(process.execPath, [PROGRAM, 'mcp'], { env: { ...scene.env, ...env }, cwd: scene.folder });
    const closed = once(server, 'close');
    const read = { stdout: '', stderr: '' };
    server.stdout.setEncoding('utf8').on('data', (text: string) => (read.stdout += text));
    server.stderr.setEncoding('utf8').on('data', (text: string) => (read.stderr += text));
    try {
      server.stdin.write(said(...messages, request('ping', 'ping')));
      await waitFor('the answer to the ping', () => read.stdout.includes('"id":"ping"'), { seen: () => read.stderr });
      server.kill('SIGTERM');
      await waitFor('the end after SIGTERM', () => server.exitCode !== null || server.signalCode !== null);
      await closed;
    } finally {
      server.kill('SIGKILL');
    }
    return { code: server.exitCode, signal: server.signalCode, ...read };
  };

  test.each<readonly [string, Readonly<Record<string, string>>]>([
    ['is a clean one', {}],
    ['comes also while the broker is away', { KAFKA_BROKERS: '127.0.0.1:1', OUTBOX_FILE: 'data/stranded.db' }],
  ])('by SIGTERM %s', async (_, env) => {
    const { code, signal, stderr } = await endedBySigterm(env, aCall(1, 'call_before_the_end'));
    expect({ code, signal }).toEqual({ code: 0, signal: null });
    expectLogOnly(stderr);
  });
});

test('without the SDK it ends with 3 and says what to install', async () => {
  const missing = `
    import { registerHooks } from 'node:module';
    registerHooks({ resolve: (specifier, context, next) => {
      if (specifier.startsWith('@modelcontextprotocol/')) throw Object.assign(new Error('gone'), { code: 'ERR_MODULE_NOT_FOUND' });
      return next(specifier, context);
    } });`;
  const hook = `data:text/javascript,${encodeURIComponent(missing)}`;
  const ended = await scene.startScript('--import', [hook, PROGRAM, 'mcp']).ended();
  expect(ended).toMatchObject({ code: 3, stdout: '' });
  expect(ended.stderr).toMatch(/CONFIG_MISSING.*npm install @modelcontextprotocol\/sdk/);
});
