/** From the database's settings to an adapter. */
import { StreamError } from '../../wire/index.ts';
import type { PostgresSettings } from './postgres/connection.ts';
import { migratePostgres } from './postgres/migrate.ts';
import { openPostgresInspector } from './postgres/postgres-inspector.ts';
import { openPostgresReader } from './postgres/postgres-reader.ts';
import { openPostgresStore } from './postgres/postgres-store.ts';
import { migrateSqlite } from './sqlite/migrate.ts';
import { openSqliteInspector } from './sqlite/sqlite-inspector.ts';
import { openSqliteReader } from './sqlite/sqlite-reader.ts';
import { openSqliteStore } from './sqlite/sqlite-store.ts';
import type { Store, StoreInspector, StoreReader } from './store.ts';

/** `url` is `sqlite:FILE` or `postgres://…`; the rest is for PostgreSQL. */
export type DatabaseSettings = PostgresSettings;

interface Adapter {
  readonly openStore: () => Store | Promise<Store>;
  readonly openReader: () => StoreReader;
  readonly openInspector: () => StoreInspector;
  readonly migrate: () => readonly string[] | Promise<readonly string[]>;
}

const SQLITE = 'sqlite:';

const adapterFor = (settings: DatabaseSettings): Adapter => {
  const { url } = settings;
  if (/^postgres(ql)?:\/\//.test(url)) {
    return {
      openStore: () => openPostgresStore(settings),
      openReader: () => openPostgresReader(settings),
      openInspector: () => openPostgresInspector(settings),
      migrate: () => migratePostgres(settings),
    };
  }
  if (url.startsWith(SQLITE) && url.length > SQLITE.length) {
    const file = url.slice(SQLITE.length);
    return {
      openStore: () => openSqliteStore(file),
      openReader: () => openSqliteReader(file),
      openInspector: () => openSqliteInspector(file),
      migrate: () => migrateSqlite(file),
    };
  }
  throw new StreamError('CONFIG_INVALID', 'DATABASE_URL', 'Give sqlite:FILE or postgres://user@host:port/database');
};

/** Rejects with a StreamError: retriable while the database is away or not migrated, final when a key is missing. */
export const openStore = async (settings: DatabaseSettings): Promise<Store> => adapterFor(settings).openStore();

/** Nothing is asked before the first question. */
export const openReader = (settings: DatabaseSettings): StoreReader => adapterFor(settings).openReader();

/** Nothing is asked before the first question. */
export const openInspector = (settings: DatabaseSettings): StoreInspector => adapterFor(settings).openInspector();

/** Applies what is due; answers the names of the migrations applied now. */
export const migrate = async (settings: DatabaseSettings): Promise<readonly string[]> => adapterFor(settings).migrate();
