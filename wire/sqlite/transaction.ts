import type { DatabaseSync } from 'node:sqlite';

/** `begin immediate` takes the write lock first, so that what is read inside cannot change under it. */
export const transaction = <T>(database: DatabaseSync, work: () => T): T => {
  database.exec('begin immediate');
  try {
    const answer = work();
    database.exec('commit');
    return answer;
  } catch (error) {
    // A commit that failed leaves the transaction open: ended here, so that nothing said to be refused is kept.
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
};
