import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/*
 * Below the range from which the system takes ports for outgoing connections (32768 and up on Linux, 49152 elsewhere):
 * there a client that keeps trying a killed server's port could be given that very port and connect to itself, and a
 * restart could find its port taken.
 */
const FIRST = 20_000;
const LAST = 32_000;

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    // On all addresses, as a container's port is published: a port held on one address only is not free either.
    probe.listen(port, () => probe.close(() => resolve(true)));
  });

const handedOut = new Set<number>();

/** A port that nobody listens on now. Chosen at random, so that two runs that look at the same time rarely meet. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(FIRST, LAST);
    if (handedOut.has(port)) continue;
    handedOut.add(port);
    if (await isFree(port)) return port;
  }
};
