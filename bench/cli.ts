/** How long a command takes that does nothing yet, as a whole process: what a person waits for help and completion. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Figure, ms, percentile } from './figures.ts';

const PROGRAM = join(import.meta.dirname, '..', 'bin', 'deviations.js');
const RUNS = 20;
/** Design: what feels like at once. */
const TARGET_MS = 150;

const run = promisify(execFile);

const medianMs = async (args: readonly string[]): Promise<number> => {
  const times: number[] = [];
  for (let at = 0; at < RUNS; at += 1) {
    const startedMs = performance.now();
    await run(process.execPath, [...args], { maxBuffer: 16 * 1024 * 1024 });
    times.push(performance.now() - startedMs);
  }
  return percentile(times, 0.5);
};

export const benchCli = async (): Promise<readonly Figure[]> => {
  const floorMs = await medianMs(['-e', '0']);
  const figures: Figure[] = [];
  for (const args of [['--help'], ['completion', 'bash'], ['query', '--help']]) {
    const oursMs = await medianMs([PROGRAM, ...args]);
    figures.push({
      what: `deviations ${args.join(' ')}, median of ${RUNS}`,
      ours: ms(oursMs),
      beside: `${ms(floorMs)} for Node alone`,
      target: `under ${TARGET_MS} ms`,
      isMet: oursMs < TARGET_MS,
    });
  }
  return figures;
};
