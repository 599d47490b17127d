import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { migrate, openInspector, openReader, openStore } from '../../consumer/index.ts';
import type { OpenStoreUnderTest } from './flushes.ts';
import { graphSuite } from './graph-suite.ts';
import { inspectorSuite } from './inspector-suite.ts';
import { quarantineSuite } from './quarantine-suite.ts';
import { readerSuite } from './reader-suite.ts';
import { storeSuite } from './store-suite.ts';

const open: OpenStoreUnderTest = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'session-events-'));
  const file = join(folder, 'session-events.db');
  const settings = { url: `sqlite:${file}` };
  await migrate(settings);
  return {
    openStore: () => openStore(settings),
    openReader: () => openReader(settings),
    openInspector: () => openInspector(settings),
    change: (sql) => {
      const database = new DatabaseSync(file);
      database.exec(sql);
      database.close();
      return Promise.resolve();
    },
    close: () => rm(folder, { recursive: true }),
  };
};

storeSuite('SQLite', open);
quarantineSuite('SQLite', open);
readerSuite('SQLite', open);
graphSuite('SQLite', open);
inspectorSuite('SQLite', open);
