import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { migrate, openReader, openStore } from '../../../consumer/index.ts';
import { aFlush, aRow, KEY, TOPIC } from '../../contract/flushes.ts';
import { PROJECT, SESSION, uuidNo } from '../../support/builders.ts';
import { textOf, TREE } from '../../support/source-files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'session-events-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const file = (): string => join(folder, 'session-events.db');
const settings = () => ({ url: `sqlite:${file()}` });

/** Changes the file by hand, as an operator might. */
const byHand = (sql: string): void => {
  const database = new DatabaseSync(file());
  try {
    database.exec(sql);
  } finally {
    database.close();
  }
};

const MIGRATE_ONCE = `
  const { migrate } = await import(${JSON.stringify(join(TREE, 'consumer', 'index.ts'))});
  console.log((await migrate({ url: process.argv[1] })).length);
`;

const migrateInAProcess = async (): Promise<number> => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '-e',
    MIGRATE_ONCE,
    settings().url,
  ]);
  return Number(stdout);
};

describe('a reader', () => {
  test('of a file that is absent says so and makes neither a file nor a folder', async () => {
    const absent = { url: `sqlite:${join(folder, 'deeper', 'session-events.db')}` };
    await expect(openReader(absent).deviations({})).rejects.toMatchObject({ code: 'DATABASE_NOT_MIGRATED' });
    expect(readdirSync(folder)).toEqual([]);
  });

  test('leaves no file behind, neither while nobody writes nor while somebody does', async () => {
    await migrate(settings());
    expect(await openReader(settings()).positions(TOPIC)).toEqual([]);
    expect(readdirSync(folder)).toEqual(['session-events.db']);
    const store = await openStore(settings());
    await store.claim(KEY);
    const before = readdirSync(folder);
    await openReader(settings()).positions(TOPIC);
    expect(readdirSync(folder)).toEqual(before);
    await store.close();
    expect(readdirSync(folder)).toEqual(['session-events.db']);
  });

  test('sees what was written after it was opened', async () => {
    await migrate(settings());
    const reader = openReader(settings());
    expect(await reader.deviations({})).toEqual([]);
    const store = await openStore(settings());
    try {
      await store.claim(KEY);
      await store.flush(aFlush(1, undefined, 2, { rows: [aRow(1)] }));
      expect(await reader.deviations({})).toHaveLength(1);
    } finally {
      await store.close();
    }
  });

  test('of a file that is no database says so without a word of it', async () => {
    byHand('create table a (b)');
    await expect(openReader(settings()).deviations({})).rejects.toMatchObject({ code: 'DATABASE_NOT_MIGRATED' });
    rmSync(file());
    writeFileSync(file(), 'Zulmira Quaresma, not a database'.repeat(100));
    const asking = openReader(settings()).deviations({});
    await expect(asking).rejects.toMatchObject({ name: 'StreamError', exitCode: 4 });
    await expect(asking).rejects.not.toThrow(/Zulmira/);
  });
});

describe('migrating', () => {
  test('makes the tables once, and a second time does nothing', async () => {
    expect((await migrate(settings())).length).toBeGreaterThan(0);
    expect(await migrate(settings())).toEqual([]);
  });

  test('in several processes at once makes them once, and each process ends well', async () => {
    const applied = await Promise.all([1, 2, 3, 4].map(migrateInAProcess));
    expect(applied.filter((count) => count > 0)).toHaveLength(1);
    expect(await openReader(settings()).positions(TOPIC)).toEqual([]);
  });

  test('keeps what was stored', async () => {
    await migrate(settings());
    const store = await openStore(settings());
    await store.claim(KEY);
    await store.flush(aFlush(1, undefined, 2, { rows: [aRow(1)] }));
    await store.close();
    await migrate(settings());
    expect(await openReader(settings()).deviations({})).toHaveLength(1);
  });
});

/** A file as the first release made it, with one row. */
const makeOldFile = (): void => {
  byHand(textOf('consumer/store/sqlite/migrations/001-tables.sql'));
  byHand(`create table schema_migrations (version integer primary key, file text not null, applied_at text not null) strict;
    insert into schema_migrations values (1, '001-tables.sql', '2026-11-30T12:00:00.000Z');
    insert into session_events values ('${uuidNo(1)}', 'anamnese.agent_deviation', '${SESSION}', '${PROJECT}',
      'agent/anamnese', '2026-11-30T12:00:00.123Z', 'revisor', 'laco', '["${uuidNo(70)}","${uuidNo(71)}"]',
      'session-events', 3, 1, 7, '${'0'.repeat(64)}', null, '2026-11-30T12:00:00.123Z')`);
};

test('migrating an older file finds its rows by what has an index only now, also after a vacuum', async () => {
  makeOldFile();
  expect(await migrate(settings())).toEqual([expect.stringMatching(/^002-/)]);
  byHand('vacuum');
  const reader = openReader(settings());
  expect(await reader.deviations({ evidenceIds: [uuidNo(71)] })).toHaveLength(1);
  expect(await reader.deviations({ evidenceIds: [uuidNo(72)] })).toEqual([]);
  await reader.close();
});

describe('a store', () => {
  test('is not opened on a file that is absent, and makes none', async () => {
    await expect(openStore(settings())).rejects.toMatchObject({ code: 'DATABASE_NOT_MIGRATED', retriable: true });
    expect(readdirSync(folder)).toEqual([]);
  });

  test('is not opened on tables that are older than the program', async () => {
    await migrate(settings());
    byHand('delete from schema_migrations');
    await expect(openStore(settings())).rejects.toMatchObject({ code: 'DATABASE_NOT_MIGRATED' });
  });

  test.each(['session_events', 'quarantine', 'stream_positions', 'graph_nodes', 'graph_edges'])(
    'is not opened when %s lacks its unique key, and the table is named',
    async (table) => {
      await migrate(settings());
      byHand(`create table copy as select * from ${table}; drop view if exists v_agent_deviation;
        drop view if exists v_agent_deviation_daily; drop view if exists v_agent_deviation_evidence;
        drop table ${table}; alter table copy rename to ${table}`);
      const opening = openStore(settings());
      await expect(opening).rejects.toMatchObject({ code: 'CONTRACT_MISMATCH', exitCode: 3 });
      await expect(opening).rejects.toThrow(table);
    },
  );

  test.each(['', 'sqlite:', 'session-events.db', 'mysql://somewhere/db', 'postgres:/x'])(
    'is not opened by the address %p',
    async (url) => {
      await expect(openStore({ url })).rejects.toMatchObject({ code: 'CONFIG_INVALID', where: 'DATABASE_URL' });
    },
  );
});
