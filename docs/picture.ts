/**
 * Draws docs/terminal.svg from a real run of the program on the table that the demo filled and left:
 * `npm run demo && node docs/picture.ts data/demo-…/session-events.db`. A test holds the picture to what the program shows.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AS_ON_A_TERMINAL, PICTURED, terminalPicture } from './terminal-picture.ts';

const PROGRAM = join(import.meta.dirname, '..', 'bin', 'deviations.js');
const [, , database] = process.argv;

if (database === undefined) {
  process.stderr.write('give the database that the demo left: data/demo-…/session-events.db\n');
  process.exit(2);
}

const runs = PICTURED.map((args) => ({
  args,
  shown: execFileSync(process.execPath, [PROGRAM, ...args, ...AS_ON_A_TERMINAL, '--database', `sqlite:${database}`], {
    encoding: 'utf8',
  }),
}));
writeFileSync(join(import.meta.dirname, 'terminal.svg'), terminalPicture(runs));
