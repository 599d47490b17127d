#!/usr/bin/env node
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import v8 from 'node:v8';

const OLDEST = 24;
/** They live beside an engine and wait for the disk, not for the CPU: a sixth less memory for a little speed. */
const LEAN = ['report', 'mcp'];
/** They run for months: what lived for one flush is collected soon, not once it fills whatever memory the machine has. */
const STEADY = ['sink', 'graph'];

if (Number.parseInt(process.versions.node, 10) >= OLDEST) {
  // Before anything is compiled, for it is part of what the cache is kept under.
  if (LEAN.includes(process.argv[2] ?? '')) v8.setFlagsFromString('--optimize-for-size');
  if (STEADY.includes(process.argv[2] ?? '')) {
    v8.setFlagsFromString('--semi-space-growth-factor=1');
    v8.setFlagsFromString('--heap-growing-percent=100');
  }
  // What was read and stripped of its types once is kept beside the packages; where that cannot be written it is not.
  module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/deviations', import.meta.url)));
  const { start } = await import('../cli/start.ts');
  await start(async (wish) => (await import('../stack/index.ts')).openStack(wish));
} else {
  const { spawn } = await import('node:child_process');
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
