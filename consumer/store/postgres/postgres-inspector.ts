/** A look at the database itself, in transactions that can change nothing. */
import type { StoreInspector } from '../store.ts';
import { placeOf, type PostgresSettings } from './connection.ts';
import { versionsOf } from './migrate.ts';
import { openReadingSession } from './reading-session.ts';
import { requireReliedOn } from './relied-on.ts';

/** A standby takes no rows, whatever its rights; `reset_val`, for this session is read-only by its own wish. */
const MAY_WRITE = `select not pg_is_in_recovery()
  and (select reset_val from pg_settings where name = 'default_transaction_read_only') = 'off'
  and has_table_privilege('session_events', 'insert')
  and has_table_privilege('quarantine', 'insert, update')
  and has_table_privilege('stream_positions', 'insert, update') as may`;

export const openPostgresInspector = (settings: PostgresSettings): StoreInspector => {
  const session = openReadingSession(settings);

  return {
    place: placeOf(settings.url),
    versions: () => session.ask(versionsOf),
    requireKeys: () => session.ask(requireReliedOn),
    isWritable: () =>
      session.ask(async (client) => (await client.query<{ may: boolean }>(MAY_WRITE)).rows[0]?.may === true),
    clockAheadMs: () =>
      session.ask(async (client) => {
        const before = Date.now();
        const { rows } = await client.query<{ now: Date }>('select clock_timestamp() as now');
        const theirs = rows[0]?.now.getTime();
        return theirs === undefined ? undefined : (before + Date.now()) / 2 - theirs;
      }),
    close: () => session.close(),
  };
};
