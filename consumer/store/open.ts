/** From DATABASE_URL to an adapter. */
import { StreamError } from '../../wire/index.ts';
import { migrateSqlite } from './sqlite/migrate.ts';
import { openSqliteReader } from './sqlite/sqlite-reader.ts';
import { openSqliteStore } from './sqlite/sqlite-store.ts';
import type { Store, StoreReader } from './store.ts';

export interface DatabaseSettings {
  /** `sqlite:FILE`. */
  readonly url: string;
}

const SQLITE = 'sqlite:';

const fileOf = ({ url }: DatabaseSettings): string => {
  if (url.startsWith(SQLITE) && url.length > SQLITE.length) return url.slice(SQLITE.length);
  if (/^postgres(ql)?:/.test(url)) {
    throw new StreamError('CONFIG_INVALID', 'DATABASE_URL', 'PostgreSQL is not supported yet: give sqlite:FILE');
  }
  throw new StreamError('CONFIG_INVALID', 'DATABASE_URL', 'Give sqlite:FILE');
};

export const openStore = (settings: DatabaseSettings): Store => openSqliteStore(fileOf(settings));

export const openReader = (settings: DatabaseSettings): StoreReader => openSqliteReader(fileOf(settings));

/** Applies what is due; answers the names of the migrations applied now. */
export const migrate = (settings: DatabaseSettings): readonly string[] => migrateSqlite(fileOf(settings));
