/** A registry in this process that says what a test tells it to, and remembers what it was asked. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface StubRequest {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: string;
}

export interface StubAnswer {
  readonly status: number;
  /** An object is sent as JSON, a text as HTML. */
  readonly body: unknown;
}

export interface RegistryStub {
  readonly url: string;
  readonly requests: readonly StubRequest[];
  /** Resolves when a client hangs up on a request that was not answered. */
  readonly hungUpOn: Promise<void>;
  close(): Promise<void>;
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer); // a byte stream gives buffers
  return Buffer.concat(chunks).toString('utf8');
};

/** `answer` may say nothing: the connection is then kept open without a word. */
export const openRegistryStub = async (
  answer: (request: StubRequest) => StubAnswer | undefined,
): Promise<RegistryStub> => {
  const requests: StubRequest[] = [];
  const { promise: hungUpOn, resolve: hungUp } = Promise.withResolvers<void>();
  const server = createServer((incoming, response) => {
    response.on('close', () => {
      if (!response.writableEnded) hungUp();
    });
    void bodyOf(incoming).then((body) => {
      const request = {
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        authorization: incoming.headers.authorization,
        body,
      };
      requests.push(request);
      const said = answer(request);
      if (said === undefined) return;
      const isText = typeof said.body === 'string';
      response.writeHead(said.status, {
        'content-type': isText ? 'text/html' : 'application/vnd.schemaregistry.v1+json',
      });
      response.end(isText ? said.body : JSON.stringify(said.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    hungUpOn,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
};
