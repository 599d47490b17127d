/**
 * A TCP proxy in front of a broker. It writes its own port over the broker's in what the broker says of itself, so that a
 * client which came by the proxy stays with it, whatever the broker advertises.
 */
import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * `lose-answers`: requests arrive, nothing comes back. `lose-requests`: nothing arrives. `refuse`: no connection, and those
 * there are ended.
 */
export type ProxyMode = 'pass' | 'lose-answers' | 'lose-requests' | 'refuse';

export interface Proxy {
  /** `host:port`, to be given to the client. */
  readonly address: string;
  become(mode: ProxyMode): void;
  /** Ends every connection, as a firewall does that has forgotten them. */
  cut(): void;
  /** Bytes that were lost on purpose so far. */
  lostBytes(): number;
  stop(): Promise<void>;
}

/** The client is told the broker's own host, so the proxy must be able to listen there. */
const isHere = (host: string): boolean =>
  host === 'localhost' ||
  Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === host));

/** Why no proxy can stand before this broker; undefined when one can. */
export const noProxy = (broker: string): string | undefined =>
  isHere(broker.split(':')[0] ?? '') ? undefined : 'the broker is on another machine';

const LENGTH_BYTES = 4;

/** The host as the protocol has it, followed by the port. */
const endpoint = (host: string, port: number): Buffer => {
  const bytes = Buffer.alloc(host.length + 4);
  bytes.write(host, 'latin1');
  bytes.writeInt32BE(port, host.length);
  return bytes;
};

export const startProxy = async (broker: string): Promise<Proxy> => {
  const [host = '', port = ''] = broker.split(':');
  let mode: ProxyMode = 'pass';
  let lost = 0;
  const sockets = new Set<Socket>();
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };

  const server = createServer((client) => {
    if (mode === 'refuse') {
      client.destroy();
      return;
    }
    const upstream = connect(Number(port), host);
    const ends = [client, upstream] as const;
    for (const [index, socket] of ends.entries()) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        ends[1 - index]?.destroy();
      });
    }
    client.on('data', (chunk: Buffer) => {
      if (mode === 'lose-requests') lost += chunk.length;
      else upstream.write(chunk);
    });
    let unfinished = Buffer.alloc(0);
    upstream.on('data', (chunk: Buffer) => {
      if (mode === 'lose-answers') {
        lost += chunk.length;
        return;
      }
      unfinished = Buffer.concat([unfinished, chunk]);
      while (unfinished.length >= LENGTH_BYTES && unfinished.length >= LENGTH_BYTES + unfinished.readInt32BE(0)) {
        const end = LENGTH_BYTES + unfinished.readInt32BE(0);
        client.write(withOwnPort(unfinished.subarray(0, end)));
        unfinished = unfinished.subarray(end);
      }
    });
  });
  server.listen(0, host);
  await once(server, 'listening');
  const { port: ownPort } = server.address() as AddressInfo; // it listens on a port

  const theirs = endpoint(host, Number(port));
  const ours = endpoint(host, ownPort);
  const withOwnPort = (answer: Buffer): Buffer => {
    const copy = Buffer.from(answer);
    for (let at = copy.indexOf(theirs); at >= 0; at = copy.indexOf(theirs, at + 1)) ours.copy(copy, at);
    return copy;
  };

  return {
    address: `${host}:${ownPort}`,
    become: (next) => {
      mode = next;
      if (mode === 'refuse') cut();
    },
    cut,
    lostBytes: () => lost,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      cut();
      await closed;
    },
  };
};
