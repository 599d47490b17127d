import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate, openReader, openStore } from '../../consumer/index.ts';
import type { OpenStoreUnderTest } from './flushes.ts';
import { graphSuite } from './graph-suite.ts';
import { readerSuite } from './reader-suite.ts';
import { storeSuite } from './store-suite.ts';

const open: OpenStoreUnderTest = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'session-events-'));
  const settings = { url: `sqlite:${join(folder, 'session-events.db')}` };
  await migrate(settings);
  return {
    openStore: () => openStore(settings),
    openReader: () => openReader(settings),
    close: () => rm(folder, { recursive: true }),
  };
};

storeSuite('SQLite', open);
readerSuite('SQLite', open);
graphSuite('SQLite', open);
