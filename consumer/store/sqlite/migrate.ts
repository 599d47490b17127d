/** Numbered migrations, each once, under the file's own write lock: several may start at once on an empty database. */
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { StreamError } from '../../../wire/index.ts';
import { migrationsIn, type Versions, wantedVersion } from '../migrations.ts';
import { openSqlite, sqliteError } from './connection.ts';

const MIGRATIONS = migrationsIn(join(import.meta.dirname, 'migrations'));

const versionOf = (database: DatabaseSync): number => {
  const table = database.prepare("select 1 from sqlite_master where name = 'schema_migrations'").get();
  if (table === undefined) return 0;
  const row = database.prepare('select max(version) as version from schema_migrations').get();
  return Number(row?.version ?? 0);
};

export const versionsOf = (database: DatabaseSync): Versions => ({
  has: versionOf(database),
  wants: wantedVersion(MIGRATIONS),
});

/** Throws DATABASE_NOT_MIGRATED when the tables are older than this program. */
export const requireMigrated = (database: DatabaseSync, file: string): void => {
  const { has, wants } = versionsOf(database);
  if (has < wants) {
    throw new StreamError(
      'DATABASE_NOT_MIGRATED',
      `${file} is at version ${has} of ${wants}`,
      'Bring it up to date: deviations migrate',
    );
  }
};

/** Makes the file when absent. Answers the files that were applied now, in order. */
export const migrateSqlite = (file: string): readonly string[] => {
  const database = openSqlite(file, { make: true });
  try {
    database.exec('begin immediate');
    database.exec(
      'create table if not exists schema_migrations (version integer primary key, file text not null, applied_at text not null) strict',
    );
    const has = versionOf(database);
    const due = MIGRATIONS.filter(({ version }) => version > has);
    for (const { version, file: name, sql } of due) {
      database.exec(sql);
      database
        .prepare('insert into schema_migrations (version, file, applied_at) values (?, ?, ?)')
        .run(version, name, new Date().toISOString());
    }
    database.exec('commit');
    return due.map(({ file: name }) => name);
  } catch (error) {
    throw sqliteError(error, file);
  } finally {
    database.close();
  }
};
