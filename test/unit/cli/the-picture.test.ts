/** docs/terminal.svg, which the README shows, is what the program shows: the demo's reports are the examples. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { AS_ON_A_TERMINAL, PICTURED, terminalPicture } from '../../../docs/terminal-picture.ts';
import { exampleTable } from '../../support/example-table.ts';
import { REPOSITORY } from '../../support/processes.ts';
import { runCli } from '../../support/run-cli.ts';

test('the picture of a terminal is up to date; else: npm run demo && node docs/picture.ts data/demo-…/session-events.db', async () => {
  const table = await exampleTable();
  try {
    const runs = await Promise.all(
      PICTURED.map(async (args) => ({
        args,
        shown: (await runCli([...args, ...AS_ON_A_TERMINAL], { env: table.env })).stdout,
      })),
    );
    expect(terminalPicture(runs)).toBe(readFileSync(join(REPOSITORY, 'docs', 'terminal.svg'), 'utf8'));
  } finally {
    table.remove();
  }
});
