/** The unique keys that the promises rest on, whatever the database. */
import { StreamError } from '../../wire/index.ts';

const UNIQUE_KEYS = [
  { table: 'session_events', columns: ['id'] },
  { table: 'quarantine', columns: ['consumer', 'topic', 'partition', 'log_offset'] },
  { table: 'stream_positions', columns: ['consumer', 'topic', 'partition'] },
  { table: 'graph_nodes', columns: ['kind', 'id'] },
  { table: 'graph_edges', columns: ['kind', 'from_id', 'to_id'] },
] as const;

/** `keysOf` answers the columns of each unique key of a table. Throws CONTRACT_MISMATCH, exit 3, naming the table. */
export const requireKeys = (keysOf: (table: string) => readonly (readonly string[])[]): void => {
  for (const { table, columns } of UNIQUE_KEYS) {
    const wanted = [...columns].sort().join();
    if (keysOf(table).some((key) => [...key].sort().join() === wanted)) continue;
    throw new StreamError(
      'CONTRACT_MISMATCH',
      `table ${table} lacks its unique key on (${columns.join(', ')})`,
      'Restore the key before anything is written: without it an event could be there twice',
    );
  }
};
