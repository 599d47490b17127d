/** In front of a registry: lets writes through up to a point, then cuts every line, as a deploy step that was killed sees it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface DyingProxy {
  readonly url: string;
  /** The writes that reached the registry. */
  readonly writes: () => number;
  close(): Promise<void>;
}

const isWrite = (method: string, path: string): boolean =>
  method === 'PUT' || (method === 'POST' && path.endsWith('/versions'));

/** The answer to the n-th write is never given, nor any after it. */
export const openDyingProxy = async (target: string, dieAtWrite: number): Promise<DyingProxy> => {
  const { origin, pathname } = new URL(target);
  let writes = 0;
  const server = createServer((incoming, outgoing) => {
    const forward = async (): Promise<void> => {
      if (writes >= dieAtWrite) {
        incoming.socket.destroy();
        return;
      }
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer); // a byte stream gives buffers
      const [method, path] = [incoming.method ?? '', incoming.url ?? ''];
      const answer = await fetch(`${origin}${path}`, {
        method,
        headers: { 'content-type': 'application/vnd.schemaregistry.v1+json' },
        ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
      });
      const body = Buffer.from(await answer.arrayBuffer());
      if (isWrite(method, path)) writes += 1;
      if (writes >= dieAtWrite) incoming.socket.destroy();
      else outgoing.writeHead(answer.status, { 'content-type': 'application/json' }).end(body);
    };
    forward().catch(() => incoming.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `http://127.0.0.1:${port}${pathname}`,
    writes: () => writes,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
};
