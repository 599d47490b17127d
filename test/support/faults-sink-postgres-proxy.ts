/** A TCP proxy in front of PostgreSQL that can lose a COMMIT or the answer to it with the connection, or all that comes next. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** `request`: the server never hears of it and ends the transaction. `answer`: it was committed, and nobody is told. */
export type LostCommit = 'request' | 'answer';

export interface PostgresProxy {
  /** The same database, by the proxy. */
  urlOf(url: string): string;
  /** Asked at every COMMIT; undefined: it passes. */
  lose(decide: () => LostCommit | undefined): void;
  /** The client falls silent behind a statement with these words: the server hears nothing more of it. */
  silenceAfter(words: string): void;
  /** How many were lost so far. */
  lost(): number;
  stop(): Promise<void>;
}

/** A simple query of the protocol or the name of a prepared one that commits by itself, and the tags of their completion. */
const ASKED = [Buffer.from('commit\0'), Buffer.from('flush-at-once\0')];
const DONE = [Buffer.from('COMMIT\0'), Buffer.from('SELECT 1\0')];

export const startPostgresProxy = async (url: string): Promise<PostgresProxy> => {
  const { port, hostname } = new URL(url);
  const sockets = new Set<Socket>();
  let decide: () => LostCommit | undefined = () => undefined;
  let lost = 0;
  let lastWords: string | undefined;

  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let loses: LostCommit | undefined;
    let isSilent = false;
    const cut = (): void => {
      lost += 1;
      client.destroy();
      upstream.destroy();
    };
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    client.on('data', (chunk: Buffer) => {
      if (ASKED.some((words) => chunk.includes(words))) loses = decide();
      if (loses === 'request') cut();
      else if (!isSilent) upstream.write(chunk);
      isSilent ||= lastWords !== undefined && chunk.includes(lastWords);
    });
    upstream.on('data', (chunk: Buffer) => {
      if (loses === 'answer' && DONE.some((tag) => chunk.includes(tag))) cut();
      else client.write(chunk);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: ownPort } = server.address() as AddressInfo; // it listens on a port

  return {
    urlOf: (of) => Object.assign(new URL(of), { port: String(ownPort) }).href,
    lose: (next) => {
      decide = next;
    },
    silenceAfter: (words) => {
      lastWords = words;
    },
    lost: () => lost,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
};
