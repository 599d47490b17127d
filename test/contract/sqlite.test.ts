import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { migrate, openInspector, openReader, openStore } from '../../consumer/index.ts';
import type { OpenStoreUnderTest } from './flushes.ts';
import { graphSuite } from './graph-suite.ts';
import { inspectorSuite } from './inspector-suite.ts';
import { quarantineSuite } from './quarantine-suite.ts';
import { selectNewest } from '../../consumer/store/sqlite/where.ts';
import { planSuite } from './plan-suite.ts';
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

/** By a word to the place, by the place to the row. */
const WORDS = 'session_event_words VIRTUAL TABLE INDEX';

planSuite('SQLite', open, {
  // It plans by what indexes there are.
  fill: 'select 1',
  // Left unbound: a limit written into the statement makes another plan than the reader's.
  explain: (filter, limit) => `explain query plan ${selectNewest(filter, limit).sql}`,
  keyIndex: 'sqlite_autoindex_session_events_1',
  evidenceIndex: WORDS,
  traceIndex: WORDS,
});
