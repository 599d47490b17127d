/** A look at the database itself, in transactions that can change nothing. */
import pg from 'pg';
import type { StoreInspector } from '../store.ts';
import { clientConfig, placeOf, type PostgresSettings, postgresError } from './connection.ts';
import { versionsOf } from './migrate.ts';
import { requireReliedOn } from './relied-on.ts';

/** A standby takes no rows, whatever its rights; `reset_val`, for this session is read-only by its own wish. */
const MAY_WRITE = `select not pg_is_in_recovery()
  and (select reset_val from pg_settings where name = 'default_transaction_read_only') = 'off'
  and has_table_privilege('session_events', 'insert')
  and has_table_privilege('quarantine', 'insert, update')
  and has_table_privilege('stream_positions', 'insert, update') as may`;

export const openPostgresInspector = (settings: PostgresSettings): StoreInspector => {
  let connecting: Promise<pg.Client> | undefined;

  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client(clientConfig(settings));
    // The next question says it; unheard it would end the process.
    client.on('error', () => {});
    await client.connect();
    await client.query('set session characteristics as transaction read only');
    return client;
  };

  const look = async <T>(question: (client: pg.Client) => Promise<T>): Promise<T> => {
    try {
      connecting ??= connect();
      return await question(await connecting);
    } catch (error) {
      throw postgresError(error, settings);
    }
  };

  return {
    place: placeOf(settings.url),
    versions: () => look(versionsOf),
    requireKeys: () => look(requireReliedOn),
    isWritable: () => look(async (client) => (await client.query<{ may: boolean }>(MAY_WRITE)).rows[0]?.may === true),
    nowMs: () =>
      look(async (client) =>
        (await client.query<{ now: Date }>('select clock_timestamp() as now')).rows[0]?.now.getTime(),
      ),
    close: async () => {
      await connecting?.then((client) => client.end()).catch(() => {});
    },
  };
};
