/**
 * Writes the pages that say what the program says of itself: docs/event.md from the schemas, docs/cli.md from the command
 * table. `node docs/generate.ts` writes them, `--check` exits 1 when a page is not what would be written.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cliPage } from './cli-page.ts';
import { eventPage } from './event-page.ts';

const PAGES = { 'event.md': eventPage, 'cli.md': cliPage } as const;

for (const [name, page] of Object.entries(PAGES)) {
  const file = join(import.meta.dirname, name);
  if (!process.argv.includes('--check')) writeFileSync(file, page());
  else if (!existsSync(file) || readFileSync(file, 'utf8') !== page()) {
    process.stderr.write(`docs/${name} is not what the program says. Write it anew: npm run docs\n`);
    process.exitCode = 1;
  }
}
