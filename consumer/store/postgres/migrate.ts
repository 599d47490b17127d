/** Numbered migrations, each once, under an advisory lock: several may start at once on an empty database. */
import { join } from 'node:path';
import pg from 'pg';
import { StreamError } from '../../../wire/index.ts';
import { migrationsIn, type Versions, wantedVersion } from '../migrations.ts';
import { clientConfig, type PostgresSettings, postgresError } from './connection.ts';

const MIGRATIONS = migrationsIn(join(import.meta.dirname, 'migrations'));

/** A number of our own choosing: the advisory lock of these migrations. */
const LOCK = 205_2026;
/** A migration may wait for the one before it, in milliseconds. */
const LOCK_WAIT_MS = 60_000;
/** An index over all that was ever stored takes its time; in milliseconds. */
const MIGRATION_LIMIT_MS = 3_600_000;

type Queryable = Pick<pg.ClientBase, 'query'>;

const versionOf = async (client: Queryable): Promise<number> => {
  const { rows: tables } = await client.query("select to_regclass('schema_migrations') is not null as there");
  if (tables[0]?.there !== true) return 0;
  const { rows } = await client.query('select max(version) as version from schema_migrations');
  return Number(rows[0]?.version ?? 0);
};

export const versionsOf = async (client: Queryable): Promise<Versions> => ({
  has: await versionOf(client),
  wants: wantedVersion(MIGRATIONS),
});

/** Rejects with DATABASE_NOT_MIGRATED when the tables are older than this program. */
export const requireMigrated = async (client: Queryable): Promise<void> => {
  const { has, wants } = await versionsOf(client);
  if (has < wants) {
    throw new StreamError(
      'DATABASE_NOT_MIGRATED',
      `the database is at version ${has} of ${wants}`,
      'Bring it up to date: deviations migrate',
    );
  }
};

/** Answers the files that were applied now, in order. */
export const migratePostgres = async (settings: PostgresSettings): Promise<readonly string[]> => {
  const client = new pg.Client({
    ...clientConfig(settings),
    lock_timeout: LOCK_WAIT_MS,
    statement_timeout: MIGRATION_LIMIT_MS,
    query_timeout: MIGRATION_LIMIT_MS,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock($1)', [LOCK]);
    await client.query(
      'create table if not exists schema_migrations (version integer primary key, file text not null, applied_at timestamptz not null)',
    );
    const has = await versionOf(client);
    const due = MIGRATIONS.filter(({ version }) => version > has);
    for (const { version, file, sql } of due) {
      await client.query(sql);
      await client.query('insert into schema_migrations (version, file, applied_at) values ($1, $2, now())', [
        version,
        file,
      ]);
    }
    await client.query('commit');
    return due.map(({ file }) => file);
  } catch (error) {
    throw postgresError(error, settings);
  } finally {
    await client.end().catch(() => {});
  }
};
