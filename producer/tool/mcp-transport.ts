/**
 * MCP as lines of JSON, one message a line: the SDK's own transport over stdio, but with bounds and without a voice.
 * What the SDK says about a wrong message quotes it, so every error that leaves here is a constant of its code.
 */
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import { type Log, TOOL_NAME } from '../../wire/index.ts';

export type IncomingLine = { readonly fits: true; readonly bytes: Uint8Array } | { readonly fits: false };

export interface LineTransportParts {
  readonly lines: AsyncIterable<IncomingLine>;
  /** Resolves once the line is with the reader. */
  readonly write: (line: string) => Promise<void>;
  readonly isMessage: (value: unknown) => value is JSONRPCMessage;
  /** Awaited after every message: no further one is read until it resolves. */
  readonly room: () => Promise<void>;
  readonly log: Log;
}

export interface LineTransport extends Transport {
  /** Resolves when no more lines come. */
  readonly ended: Promise<void>;
}

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

/** By the codes of JSON-RPC 2.0, section 5.1. */
const ERROR_TEXTS: Readonly<Record<number, string>> = {
  [PARSE_ERROR]: 'Parse error: one JSON value a line, in UTF-8, of at most 16 MiB',
  [INVALID_REQUEST]: 'Invalid request: no message of the Model Context Protocol',
  [-32_601]: 'Method not found',
  [-32_602]: `Invalid params: the one tool here is ${TOOL_NAME}`,
};
const OTHER_ERROR = 'The request could not be carried out';

const errorAnswer = (code: number, id: RequestId | undefined): JSONRPCMessage => ({
  jsonrpc: '2.0',
  ...(id === undefined ? {} : { id }),
  error: { code, message: ERROR_TEXTS[code] ?? OTHER_ERROR },
});

type Read =
  | { readonly fine: true; readonly message: JSONRPCMessage }
  | { readonly fine: false; readonly code: number; readonly id?: RequestId | undefined };

/** Strict: a byte that is no UTF-8 makes the line unreadable instead of another text. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const requestIdIn = (value: unknown): RequestId | undefined => {
  if (typeof value !== 'object' || value === null || !('method' in value) || !('id' in value)) return undefined;
  const { id } = value;
  return typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id)) ? id : undefined;
};

/** The message as it was parsed, and not the checked copy of it: nothing of what a model said is rewritten. */
const read = (line: IncomingLine, isMessage: LineTransportParts['isMessage']): Read => {
  if (!line.fits) return { fine: false, code: PARSE_ERROR };
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(line.bytes));
  } catch {
    return { fine: false, code: PARSE_ERROR };
  }
  return isMessage(value)
    ? { fine: true, message: value }
    : { fine: false, code: INVALID_REQUEST, id: requestIdIn(value) };
};

export const createLineTransport = ({ lines, write, isMessage, room, log }: LineTransportParts): LineTransport => {
  const end = Promise.withResolvers<void>();
  let isClosed = false;

  const send = async (message: JSONRPCMessage): Promise<void> => {
    await write(JSON.stringify('error' in message ? errorAnswer(message.error.code, message.id) : message));
  };

  const readAll = async (): Promise<void> => {
    for await (const line of lines) {
      if (isClosed) return;
      const one = read(line, isMessage);
      if (one.fine) transport.onmessage?.(one.message);
      else {
        log.warn('a line is no MCP message', { code: String(one.code) });
        await send(errorAnswer(one.code, one.id));
      }
      await room();
    }
  };

  const transport: LineTransport = {
    ended: end.promise,
    start: async () => {
      // A stream that breaks off is one that has ended.
      readAll().then(end.resolve, () => end.resolve());
    },
    send,
    close: async () => {
      isClosed = true;
      transport.onclose?.();
    },
  };
  return transport;
};
