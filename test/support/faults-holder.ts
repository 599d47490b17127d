/**
 * A process that uses an outbox and tells what it has: `faults-holder.ts <file> [lease]`. With `lease` it is the relay.
 * Says `holds` on its standard output once it has what it wants, and ends with the channel to the test. With `ask` and the
 * word for a lock it tries once, says `got` or `refused`, and ends.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Held, tryExclusive } from '../../producer/outbox/lock-file.ts';
import { openOutboxFile } from '../../producer/outbox/outbox-file.ts';

const [file = '', wish, lock] = process.argv.slice(2);
process.once('disconnect', () => process.exit(0));

if (wish === 'ask') {
  process.stdout.write(tryExclusive(`${file}-${lock}`) === undefined ? 'refused' : 'got');
  process.exit(0);
}

const outbox = openOutboxFile(file);
// Kept open for as long as the process lives.
outbox.database.prepare('select count(*) from waiting').get();
let lease: Held | undefined;
while (wish === 'lease' && lease === undefined) {
  lease = tryExclusive(`${file}-relay`);
  await sleep(10);
}
process.stdout.write('holds\n');
// What nobody refers to any more is closed by the garbage collector, and its lock with it.
setInterval(() => [outbox, lease], 60_000);
