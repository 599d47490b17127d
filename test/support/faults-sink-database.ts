/** The database of a seed, one of the two that the product has, as somebody with SQL reads it. */
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { migrate } from '../../consumer/index.ts';
import type { OwnPostgres } from './embedded-postgres.ts';
import { select, type SqlRow } from './stack-database.ts';

export const STORES = ['sqlite', 'postgres'] as const;
export type StoreKind = (typeof STORES)[number];

export interface SinkDatabase {
  readonly kind: StoreKind;
  readonly url: string;
  select(sql: string): Promise<readonly SqlRow[]>;
  /** Changes something behind the sink's back. */
  run(sql: string): Promise<void>;
  /** Keeps every writer waiting until the answer is called. */
  lock(): Promise<() => Promise<void>>;
  /**
   * Takes it down as it is; the answer puts it back to that state. PostgreSQL under its users, who are cut off by it as by
   * a failover; SQLite's file must have none.
   */
  snapshot(): Promise<() => Promise<void>>;
  drop(): Promise<void>;
}

const TABLES = ['session_events', 'quarantine', 'stream_positions', 'position_losses'] as const;

const PUT_BACK = `
  begin;
  lock table ${TABLES.join(', ')} in access exclusive mode;
  truncate ${TABLES.join(', ')};
  ${TABLES.map((table) => `insert into ${table} select * from snapshot.${table};`).join('\n')}
  select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend';
  commit`;

const sqliteAt = (file: string): Omit<SinkDatabase, 'drop'> => {
  const opened = (): DatabaseSync => new DatabaseSync(file, { timeout: 5_000 });
  return {
    kind: 'sqlite',
    url: `sqlite:${file}`,
    select: (sql) => Promise.resolve(select(file, sql)),
    run: (sql) => {
      const database = opened();
      database.exec(sql);
      database.close();
      return Promise.resolve();
    },
    lock: () => {
      const database = opened();
      database.exec('begin immediate');
      return Promise.resolve(() => {
        database.close();
        return Promise.resolve();
      });
    },
    snapshot: () => {
      const copy = `${file}.snapshot`;
      const database = opened();
      database.exec(`vacuum into '${copy}'`);
      database.close();
      return Promise.resolve(() => {
        for (const beside of ['-wal', '-shm']) rmSync(`${file}${beside}`, { force: true });
        copyFileSync(copy, file);
        return Promise.resolve();
      });
    },
  };
};

export const openDatabase = async (
  kind: StoreKind,
  folder: string,
  name: string,
  server: OwnPostgres,
): Promise<SinkDatabase> => {
  if (kind === 'sqlite') {
    const database = sqliteAt(join(folder, `${name}.db`));
    await migrate({ url: database.url });
    return { ...database, drop: () => Promise.resolve() };
  }
  const own = await server.createDatabase();
  await migrate({ url: own.url });
  let client: pg.Client | undefined;
  /** One connection for the many questions of a waiting; a server that was restarted gets another. */
  const query = async (sql: string): Promise<readonly SqlRow[]> => {
    if (client === undefined) {
      const fresh = new pg.Client(own.url);
      fresh.on('error', () => {
        client = undefined;
      });
      await fresh.connect();
      client = fresh;
    }
    return (await client.query(sql)).rows;
  };
  return {
    kind,
    url: own.url,
    select: query,
    run: async (sql) => {
      await query(sql);
    },
    lock: () => own.holding('lock table stream_positions in exclusive mode'),
    snapshot: async () => {
      await query(
        `create schema snapshot; ${TABLES.map((table) => `create table snapshot.${table} as table ${table};`).join('\n')}`,
      );
      return async () => {
        await query(PUT_BACK);
      };
    },
    drop: async () => {
      await client?.end().catch(() => {});
      await own.drop();
    },
  };
};
