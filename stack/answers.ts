import { connect } from 'node:net';

/*
 * A listening port is not yet a server: each of these asks a real question. The two binary protocols are spoken by hand,
 * because a client library logs, retries and keeps timers, and the question is a few bytes long.
 */

const ANSWER_LIMIT_MS = 2_000;

/** Sends one request and resolves to the first `size` bytes of the reply, or to fewer when the other side hangs up. */
const ask = (address: string, request: Buffer, size: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const colon = address.lastIndexOf(':');
    const socket = connect({ host: address.slice(0, colon), port: Number(address.slice(colon + 1)) });
    let reply = Buffer.alloc(0);
    const giveUp = setTimeout(() => socket.destroy(new Error('no reply')), ANSWER_LIMIT_MS);
    socket.on('connect', () => socket.write(request));
    socket.on('data', (bytes) => {
      reply = Buffer.concat([reply, bytes]);
      if (reply.length >= size) socket.destroy();
    });
    socket.on('error', reject);
    socket.on('end', () => socket.destroy());
    socket.on('close', () => {
      clearTimeout(giveUp);
      resolve(reply.subarray(0, size));
    });
  });

/** Size, then: Metadata (3), version 1, correlation id 1, no client id, no topics. */
const METADATA = Buffer.from('0000000e' + '0003' + '0001' + '00000001' + 'ffff' + '00000000', 'hex');

/** A broker takes part once its own metadata lists it; before that it refuses to create topics. */
export const brokerAnswers = async (address: string): Promise<boolean> => {
  // size, correlation id, number of brokers: four bytes each
  const reply = await ask(address, METADATA, 12);
  return reply.length === 12 && reply.readInt32BE(8) > 0;
};

export const registryAnswers = async (url: string): Promise<boolean> => {
  const reply = await fetch(`${url}/subjects`, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
  await reply.body?.cancel();
  return reply.status === 200;
};

/** The server asks for the password (`R`) once it takes sessions; while it starts up it answers with an error (`E`). */
export const databaseAnswers = async (address: string, user: string, name: string): Promise<boolean> => {
  const version = Buffer.from([0, 3, 0, 0]);
  const settings = Buffer.from(`user\0${user}\0database\0${name}\0\0`);
  const size = Buffer.alloc(4);
  size.writeInt32BE(4 + version.length + settings.length);
  const reply = await ask(address, Buffer.concat([size, version, settings]), 1);
  return reply.toString('latin1') === 'R';
};
