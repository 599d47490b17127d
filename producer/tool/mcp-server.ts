/** The tool as a server of the Model Context Protocol. The SDK is an optional peer and loaded only here. */
import { readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CallToolResult, JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import { codeOf, type Log, StreamError, TOOL_NAME } from '../../wire/index.ts';
import type { Answer, DeviationProducer } from '../create-producer.ts';
import { mcpTool } from './dialects.ts';
import { createLineTransport, type IncomingLine } from './mcp-transport.ts';

/** Where the client's engine puts the context of a call; what the model says can never reach it. */
export const MCP_CONTEXT_KEY = 'anamnese/context';

/** Calls under way at once; further messages wait unread in the pipe. */
const MAX_OPEN_CALLS = 64;

export interface McpParts {
  readonly producer: Pick<DeviationProducer, 'report'>;
  /** One message a line. */
  readonly lines: AsyncIterable<IncomingLine>;
  /** Resolves once the line is with the reader. */
  readonly write: (line: string) => Promise<void>;
  readonly log: Log;
}

export interface McpSession {
  /** Resolves when no more messages come. */
  readonly ended: Promise<void>;
  /** Resolves when every call that came has its answer. */
  answered(): Promise<void>;
  /** Answers nothing any more. */
  close(): Promise<void>;
}

const loadSdk = async () => {
  try {
    const [{ Server }, types] = await Promise.all([
      import('@modelcontextprotocol/sdk/server/index.js'),
      import('@modelcontextprotocol/sdk/types.js'),
    ]);
    return { Server, types };
  } catch {
    throw new StreamError(
      'CONFIG_MISSING',
      'the package @modelcontextprotocol/sdk',
      'Install it: npm install @modelcontextprotocol/sdk',
    );
  }
};

const programVersion = (): string => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    readonly version: string; // our own file
  };
  return version;
};

const resultOf = (answer: Answer): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(answer) }],
  structuredContent: { ...answer },
  isError: !answer.recorded,
});

/** Throws `CONFIG_MISSING` when the SDK is not installed. */
export const serveMcp = async ({ producer, lines, write, log }: McpParts): Promise<McpSession> => {
  const { Server, types } = await loadSdk();
  const open = new Set<Promise<Answer>>();

  const report = async (params: JSONRPCRequest['params']): Promise<CallToolResult> => {
    if (params?.['name'] !== TOOL_NAME) throw new types.McpError(types.ErrorCode.InvalidParams, 'unknown tool');
    const reporting = producer.report({ context: params._meta?.[MCP_CONTEXT_KEY], input: params['arguments'] });
    open.add(reporting);
    const answer = await reporting;
    open.delete(reporting);
    return resultOf(answer);
  };

  const server = new Server({ name: 'deviations', version: programVersion() }, { capabilities: { tools: {} } });
  server.onerror = (error) => log.warn('the MCP server dropped a message', { code: codeOf(error) });
  server.setRequestHandler(types.ListToolsRequestSchema, () => ({ tools: [mcpTool()] }));
  // Not by `setRequestHandler`: that checks and copies the arguments first, and answers in our place when they are wrong.
  server.fallbackRequestHandler = async ({ method, params }) => {
    if (method === 'tools/call') return report(params);
    throw new types.McpError(types.ErrorCode.MethodNotFound, 'unknown method');
  };

  const transport = createLineTransport({
    lines,
    write,
    log,
    isMessage: (value): value is JSONRPCMessage => types.JSONRPCMessageSchema.safeParse(value).success,
    room: async () => {
      await nextTurn(); // by then the SDK has begun what it was told
      while (open.size >= MAX_OPEN_CALLS) await Promise.race(open);
    },
  });
  await server.connect(transport);

  return {
    ended: transport.ended,
    answered: async () => {
      while (open.size > 0) await Promise.all(open);
      await nextTurn(); // by then the SDK has written the last answer
    },
    close: () => server.close(),
  };
};
