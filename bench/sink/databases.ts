/** The two stores, each fresh for every figure. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../../consumer/index.ts';
import { type OwnPostgres, startPostgres } from '../../stack/index.ts';
import { postgresCpu, type ServerCpu } from '../process-figures.ts';

export interface BenchDatabase {
  readonly url: string;
  serverCpu(): ServerCpu;
  /** What the server does by itself within minutes of a load: statistics, and pending entries of indexes put in place. */
  settle(): Promise<void>;
  remove(): Promise<void>;
}

export interface BenchStore {
  readonly name: 'SQLite' | 'PostgreSQL';
  /** Empty and migrated. */
  create(): Promise<BenchDatabase>;
  close(): Promise<void>;
}

const NO_SERVER: ServerCpu = { backendsSeconds: 0, wholeSeconds: 0 };

const sqlite: BenchStore = {
  name: 'SQLite',
  create: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bench-'));
    const url = `sqlite:${join(folder, 'events.db')}`;
    await migrate({ url });
    return {
      url,
      serverCpu: () => NO_SERVER,
      settle: () => Promise.resolve(),
      remove: () => Promise.resolve(rmSync(folder, { recursive: true, force: true })),
    };
  },
  close: () => Promise.resolve(),
};

const onPostgres = (server: OwnPostgres): BenchStore => ({
  name: 'PostgreSQL',
  create: async () => {
    const { url, drop, select } = await server.createDatabase();
    await migrate({ url });
    return {
      url,
      serverCpu: () => postgresCpu(server.postmaster(), new URL(url).pathname.slice(1)),
      settle: async () => void (await select('vacuum analyze session_events')),
      remove: drop,
    };
  },
  close: () => server.remove(),
});

export const openStores = async (): Promise<readonly BenchStore[]> => [sqlite, onPostgres(await startPostgres())];
