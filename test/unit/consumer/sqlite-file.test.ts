import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type DeviationFilter, migrate, openReader, openStore } from '../../../consumer/index.ts';
import { kafka } from '../../../wire/index.ts';
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
      'session-events', 3, 1, 7, '${'0'.repeat(64)}', '${TRACE}', '2026-11-30T12:00:00.123Z')`);
};

const TRACE = '0af7651916cd43dd8448eb211c80319c';

const foundBy = async (filter: DeviationFilter): Promise<readonly string[]> => {
  const reader = openReader(settings());
  const found = await reader.deviations(filter);
  await reader.close();
  return found.map(({ eventId }) => eventId).toSorted();
};

test('migrating an older file finds its rows by what has an index only now, also after a vacuum', async () => {
  makeOldFile();
  expect(await migrate(settings())).toEqual([expect.stringMatching(/^002-/)]);
  byHand('vacuum');
  expect(await foundBy({ evidenceIds: [uuidNo(71)] })).toEqual([uuidNo(1)]);
  expect(await foundBy({ traceIds: [TRACE] })).toEqual([uuidNo(1)]);
  expect(await foundBy({ evidenceIds: [uuidNo(72)] })).toEqual([]);
});

describe('what is found by evidence or trace', () => {
  const written = async (...rows: readonly ReturnType<typeof aRow>[]): Promise<void> => {
    await migrate(settings());
    const store = await openStore(settings());
    const { epoch, position } = await store.claim(KEY);
    const nextOffset = kafka.offset((position ?? 0n) + 100n);
    const answer = await store.flush(aFlush(epoch, undefined, 0, { rows, fromOffset: position, nextOffset }));
    expect(answer).toMatchObject({ counts: { stored: rows.length } });
    await store.close();
  };
  const other = (id: string): string => `f${id.slice(1)}`;

  test('is the same after rows were deleted, the file was made anew and a row came back', async () => {
    const [gone, kept] = [1, 2].map((n) => aRow(n, { evidenceEventIds: [uuidNo(70)] }, { traceId: TRACE }));
    if (gone === undefined || kept === undefined) throw new Error('no rows');
    await written(gone, kept);
    byHand(`delete from session_events where id = '${uuidNo(1)}'`);
    byHand('vacuum');
    expect(await foundBy({ evidenceIds: [uuidNo(70)] })).toEqual([uuidNo(2)]);
    expect(await foundBy({ traceIds: [TRACE] })).toEqual([uuidNo(2)]);
    await written(gone);
    expect(await foundBy({ evidenceIds: [uuidNo(70)] })).toEqual([uuidNo(1), uuidNo(2)]);
    byHand("insert into session_event_words (session_event_words) values ('integrity-check')");
    byHand("insert into session_event_words (session_event_words) values ('optimize')");
    expect(await foundBy({ traceIds: [TRACE] })).toEqual([uuidNo(1), uuidNo(2)]);
  });

  test('is not what only ends alike, nor what is the one and not the other', async () => {
    const id = uuidNo(70);
    await written(
      aRow(1, { evidenceEventIds: [id] }, { traceId: TRACE }),
      aRow(2, { evidenceEventIds: [other(id)] }, { traceId: other(TRACE) }),
      aRow(3, { evidenceEventIds: [`${uuidNo(0).slice(0, -8)}${TRACE.slice(-8)}`] }),
    );
    expect(await foundBy({ evidenceIds: [id] })).toEqual([uuidNo(1)]);
    expect(await foundBy({ evidenceIds: [other(id)] })).toEqual([uuidNo(2)]);
    expect(await foundBy({ traceIds: [TRACE] })).toEqual([uuidNo(1)]);
    expect(await foundBy({ traceIds: [TRACE], evidenceIds: [other(id)] })).toEqual([]);
  });

  test('is nothing for what is no id, and no error', async () => {
    await written(aRow(1, { evidenceEventIds: [uuidNo(70)] }));
    for (const word of ['', '"', 'a OR b', 'NEAR(', '-', '*', 'ação']) {
      expect(await foundBy({ evidenceIds: [word] })).toEqual([]);
      expect(await foundBy({ traceIds: [word, TRACE] })).toEqual([]);
      expect(await foundBy({ evidenceIds: [word, uuidNo(70)] })).toEqual([uuidNo(1)]);
    }
  });

  test('does not take the place of one topic or partition for that of another', async () => {
    await written(aRow(1, { evidenceEventIds: [uuidNo(70)] }, { offset: kafka.offset(5) }));
    const store = await openStore(settings());
    // The same remainder, by which a place is kept.
    for (const [n, key] of [
      [2, { ...KEY, topic: 'another' }],
      [3, { ...KEY, partition: KEY.partition + 4_096 }],
    ] as const) {
      await store.claim(key);
      const rows = [aRow(n, { evidenceEventIds: [uuidNo(70 + n)] }, { offset: kafka.offset(5) })];
      await store.flush({ ...aFlush(1, undefined, 6, { rows }), ...key });
    }
    await store.close();
    for (const [id, event] of [
      [70, 1],
      [72, 2],
      [73, 3],
    ] as const) {
      expect(await foundBy({ evidenceIds: [uuidNo(id)] })).toEqual([uuidNo(event)]);
    }
  });
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
