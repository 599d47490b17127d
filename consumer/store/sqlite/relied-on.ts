/** What the sink relies on and a hand may have dropped: without it a row could be there twice. */
import type { DatabaseSync } from 'node:sqlite';
import { requireKeys } from '../relied-on.ts';

export const requireReliedOn = (database: DatabaseSync): void => {
  const keys = database.prepare(
    `select group_concat(i.name) as columns from pragma_index_list(?) l join pragma_index_info(l.name) i
     where l."unique" = 1 and l.partial = 0 group by l.name`,
  );
  requireKeys((table) => keys.all(table).map((row) => String(row.columns).split(',')));
};
