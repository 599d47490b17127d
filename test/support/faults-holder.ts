/**
 * A process that uses an outbox and tells what it has: `faults-holder.ts <file> [lease]`. With `lease` it is the relay.
 * Says `holds` on its standard output once it has what it wants, and ends with the channel to the test.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { tryExclusive } from '../../producer/outbox/lock-file.ts';
import { openOutboxFile } from '../../producer/outbox/outbox-file.ts';

const [file = '', wish] = process.argv.slice(2);
process.once('disconnect', () => process.exit(0));

const outbox = openOutboxFile(file);
// Kept open for as long as the process lives.
outbox.database.prepare('select count(*) from waiting').get();
if (wish === 'lease') {
  while (tryExclusive(`${file}-relay`) === undefined) await sleep(10);
}
process.stdout.write('holds\n');
setInterval(() => outbox.walBytes(), 60_000);
