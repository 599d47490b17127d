/** What the sink relies on and a hand may have dropped: without it a row could be there twice. */
import type pg from 'pg';
import { requireKeys } from '../relied-on.ts';

export const requireReliedOn = async (client: Pick<pg.ClientBase, 'query'>): Promise<void> => {
  const { rows } = await client.query<{ table: string; columns: string[] }>(
    `select c.relname as table, array_agg(a.attname::text) as columns
     from pg_index i
     join pg_class c on c.oid = i.indrelid
     join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
     where i.indisunique and i.indisvalid and i.indpred is null and c.relnamespace = to_regnamespace(current_schema())
     group by c.relname, i.indexrelid`,
  );
  requireKeys((table) => rows.filter((row) => row.table === table).map(({ columns }) => columns));
};
