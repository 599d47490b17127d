/** Connections to PostgreSQL with their limits, and its errors in our words. */
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { isStreamError, StreamError } from '../../../wire/index.ts';

export interface PostgresSettings {
  /** `postgres://user@host:port/database` */
  readonly url: string;
  readonly password?: string;
  /** A file with the certificate authority to trust; turns TLS on. */
  readonly caFile?: string;
}

/** Limits of a session, in milliseconds. A frozen process must not keep a row locked: the server ends its transaction. */
const LIMITS = { connect: 5_000, idleInTransaction: 10_000, lock: 5_000, statement: 60_000, answer: 70_000 } as const;

/** A flush that takes longer is an outage: it is to be said as a hold before the watchdog's minute is over. */
const WRITER_LIMITS = { statement_timeout: 30_000, query_timeout: 40_000 } as const;

export const clientConfig = ({ url, password, caFile }: PostgresSettings): pg.ClientConfig => ({
  connectionString: url,
  application_name: 'agent-deviation-stream',
  connectionTimeoutMillis: LIMITS.connect,
  idle_in_transaction_session_timeout: LIMITS.idleInTransaction,
  lock_timeout: LIMITS.lock,
  statement_timeout: LIMITS.statement,
  // Ours, for a server that is frozen or cut off cannot keep its own.
  query_timeout: LIMITS.answer,
  keepAlive: true,
  ...(password === undefined ? {} : { password }),
  ...(caFile === undefined ? {} : { ssl: { ca: readFileSync(caFile, 'utf8') } }),
});

/** Host, port and database: what a person needs to find it, without the user's name and password. */
export const placeOf = (url: string): string => {
  try {
    const { hostname, port, pathname } = new URL(url);
    return `${hostname}:${port === '' ? '5432' : port}${pathname}`;
  } catch {
    return 'DATABASE_URL';
  }
};

const sqlState = (error: unknown): string | undefined => {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
};

/** Classes 22 (data exception) and 23 (integrity): the database refused the row as data, and not for anything around it. */
export const isRowRefused = (error: unknown): boolean => /^2[23]/.test(sqlState(error) ?? '');

/** Undefined table, column or schema; and no right to them. */
const MISSING = new Set(['42P01', '42703', '3F000']);
const NO_DATABASE = '3D000';
const FORBIDDEN = new Set(['42501', '28P01', '28000']);

const DISK_FULL = '53100';

/** Nothing of the server's text is kept: its details quote keys and values. */
export const postgresError = (error: unknown, { url }: PostgresSettings): StreamError => {
  if (isStreamError(error)) return error;
  const state = sqlState(error);
  const at = `${placeOf(url)}${state === undefined ? '' : ` (SQLSTATE ${state})`}`;
  if (state === NO_DATABASE) {
    const next = 'There is no such database: check the name in DATABASE_URL, or create it and then: deviations migrate';
    return new StreamError('DATABASE_NOT_MIGRATED', at, next, state);
  }
  if (state !== undefined && MISSING.has(state)) {
    return new StreamError('DATABASE_NOT_MIGRATED', at, 'Make the tables: deviations migrate', state);
  }
  if (state === DISK_FULL) {
    const full = `${placeOf(url)} (disk full)`;
    return new StreamError('DATABASE_REFUSED', full, 'Make room on its disk; nothing is lost meanwhile', state);
  }
  if (state !== undefined && FORBIDDEN.has(state)) {
    return new StreamError('DATABASE_REFUSED', at, 'Check the user, DATABASE_PASSWORD_FILE and the rights', state);
  }
  return state === undefined || state.startsWith('08') || state.startsWith('57P')
    ? new StreamError('DATABASE_UNREACHABLE', at, 'Check DATABASE_URL and that the database is up', state)
    : new StreamError('DATABASE_REFUSED', at, 'Look at the log of the database', state);
};

/** For the writing of a consumer. `prepare` is run once on each connection. */
export const openPool = (settings: PostgresSettings, max: number, prepare: string): pg.Pool => {
  const pool = new pg.Pool({
    ...clientConfig(settings),
    ...WRITER_LIMITS,
    max,
    idleTimeoutMillis: 30_000,
    allowExitOnIdle: true,
    // The pool waits for it, though its types do not say so.
    onConnect: (client): unknown => client.query(prepare),
  });
  // A server that restarts tells idle connections; unheard, that would end the process. The next flush finds out.
  pool.on('error', () => {});
  return pool;
};

/** A connection that failed is given up, for nobody knows what state it is in. */
export const onConnection = async <T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
  const client = await pool.connect();
  // While it is checked out the pool does not listen for it.
  const onError = (): void => {};
  client.on('error', onError);
  let failure: Error | undefined;
  try {
    return await work(client);
  } catch (error) {
    failure = error instanceof Error ? error : new Error('unknown');
    throw error;
  } finally {
    client.off('error', onError);
    client.release(failure);
  }
};

export const inTransaction = <T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> =>
  onConnection(pool, async (client) => {
    await client.query('begin');
    const answer = await work(client);
    await client.query('commit');
    return answer;
  });
