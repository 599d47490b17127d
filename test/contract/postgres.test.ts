/** The same promises on a real PostgreSQL. */
import { afterAll, beforeAll } from '@jest/globals';
import { migrate, openInspector, openReader, openStore } from '../../consumer/index.ts';
import { type OwnPostgres, startPostgres } from '../support/embedded-postgres.ts';
import type { OpenStoreUnderTest } from './flushes.ts';
import { graphSuite } from './graph-suite.ts';
import { inspectorSuite } from './inspector-suite.ts';
import { quarantineSuite } from './quarantine-suite.ts';
import { readerSuite } from './reader-suite.ts';
import { storeSuite } from './store-suite.ts';

let server: OwnPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

const open: OpenStoreUnderTest = async () => {
  const database = await server.createDatabase();
  const settings = { url: database.url };
  await migrate(settings);
  return {
    openStore: () => openStore(settings),
    openReader: () => openReader(settings),
    openInspector: () => openInspector(settings),
    change: async (sql) => {
      await database.select(sql);
    },
    close: () => database.drop(),
  };
};

storeSuite('PostgreSQL', open);
quarantineSuite('PostgreSQL', open);
readerSuite('PostgreSQL', open);
graphSuite('PostgreSQL', open);
inspectorSuite('PostgreSQL', open);
