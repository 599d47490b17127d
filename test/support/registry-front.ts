/** Stands before a registry and misbehaves as a test says: in the ways that a proxy, a load balancer or a lagging node does. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * `refuse`: the connection ends without a word. `hang`: it is taken, and nothing answers. `error-page`: 503 with HTML.
 * `not-found`: the registry's own 404, as by a node that lags behind.
 */
export type FrontMode = 'pass' | 'refuse' | 'hang' | 'error-page' | 'not-found';

export interface RegistryFront {
  readonly url: string;
  become(mode: FrontMode): void;
  /** As a registry that was made anew: this id stands for the text of that one. */
  standsFor(id: number, other: number): void;
  /** How often it was asked in its present mode. */
  asked(): number;
  close(): Promise<void>;
}

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer); // a byte stream gives buffers
  return Buffer.concat(chunks);
};

const NOT_FOUND = JSON.stringify({ error_code: 40403, message: 'Schema not found' });
const JSON_TYPE = { 'content-type': 'application/vnd.schemaregistry.v1+json' };

export const openRegistryFront = async (registryUrl: string): Promise<RegistryFront> => {
  let mode: FrontMode = 'pass';
  let asked = 0;
  const meanings = new Map<string, number>();
  const server = createServer((incoming, response) => {
    void (async () => {
      const body = await bodyOf(incoming);
      asked += 1;
      switch (mode) {
        case 'refuse':
          incoming.socket.destroy();
          return;
        case 'hang':
          return;
        case 'error-page':
          response
            .writeHead(503, { 'content-type': 'text/html' })
            .end('<html><body>No server is available</body></html>');
          return;
        case 'not-found':
          response.writeHead(404, JSON_TYPE).end(NOT_FOUND);
          return;
        case 'pass': {
          const path = (incoming.url ?? '').replace(
            /^(\/schemas\/ids\/)(\d+)/,
            (_, ids: string, id: string) => `${ids}${meanings.get(id) ?? id}`,
          );
          const answer = await fetch(`${registryUrl}${path}`, {
            method: incoming.method ?? 'GET',
            headers: JSON_TYPE,
            ...(body.length > 0 ? { body } : {}),
          });
          response.writeHead(answer.status, JSON_TYPE).end(Buffer.from(await answer.arrayBuffer()));
          return;
        }
        default:
          mode satisfies never;
      }
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    become: (next) => {
      mode = next;
      asked = 0;
      // A connection that is kept open would hold on to the former ways.
      server.closeAllConnections();
    },
    standsFor: (id, other) => {
      meanings.set(String(id), other);
    },
    asked: () => asked,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
