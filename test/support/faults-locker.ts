/** Locks the file of an outbox for writing, says `locked`, and lets go once it is told anything: `faults-locker.ts <file>`. */
import { DatabaseSync } from 'node:sqlite';

const database = new DatabaseSync(process.argv[2] ?? '', { timeout: 10_000 });
database.exec('begin immediate');
process.stdout.write('locked\n');
process.once('message', () => {
  database.exec('rollback');
  process.disconnect();
});
process.once('disconnect', () => process.exit(0));
