/** `/healthz` for whoever restarts the process, `/metrics` for whoever watches it. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type Consumer, StreamError } from '../../wire/index.ts';
import type { Progress } from '../stream/progress.ts';
import { createMetrics } from './metrics.ts';

export interface HealthServer {
  /** The port it listens on; useful when 0 was asked for. */
  readonly port: number;
  close(): Promise<void>;
}

const answer = (response: ServerResponse, status: number, type: string, body: string): void => {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
  response.end(body);
};

/** 503 when stuck: a restart may help. A hold alone is none: what is outside works again by itself. */
const health = (response: ServerResponse, progress: Progress): void => {
  const { isReady, isStuck, holding } = progress.snapshot();
  const body = JSON.stringify({ alive: true, ready: isReady, stuck: isStuck, holding });
  answer(response, isStuck ? 503 : 200, 'application/json', `${body}\n`);
};

/** Rejects with CONFIG_INVALID when the port is taken. */
export const serveHealth = async (port: number, consumer: Consumer, progress: Progress): Promise<HealthServer> => {
  const metrics = createMetrics(consumer, progress);
  const server = createServer((request, response) => {
    switch (request.url) {
      case '/healthz':
        health(response, progress);
        return;
      case '/metrics':
        metrics.metrics().then(
          (text) => answer(response, 200, metrics.contentType, text),
          () => answer(response, 500, 'text/plain', 'not available\n'),
        );
        return;
      default:
        answer(response, 404, 'text/plain', 'ask for /healthz or /metrics\n');
    }
  });
  server.listen(port);
  try {
    await once(server, 'listening');
  } catch {
    throw new StreamError('CONFIG_INVALID', `HEALTH_PORT ${port}`, 'It is taken or not allowed: give another port');
  }
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
