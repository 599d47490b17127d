#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const OLDEST = 24;

if (Number.parseInt(process.versions.node, 10) >= OLDEST) {
  const { start } = await import('../cli/start.ts');
  await start(async (wish) => (await import('../stack/index.ts')).openStack(wish));
} else {
  // `npm ci` brings a supported Node along; this one is too old to read the program itself.
  const node = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url));
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.on('error', () => {
    process.stderr.write(
      `deviations: needs Node ${OLDEST} or newer, this is ${process.versions.node}. Run npm ci, or install Node ${OLDEST}.\n`,
    );
    process.exit(3);
  });
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)));
}
