/** What a producer keeps in memory over many reports: each time in a process of its own, so that nothing else counts in. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Figure, megabytes } from './figures.ts';
import type { BenchOptions } from './reports.ts';

const ENGINE = join(import.meta.dirname, 'memory-engine.ts');
/** As the bin does: what was stripped of its types once is not stripped again, nor the means for it loaded. */
const ENV = { ...process.env, NODE_COMPILE_CACHE: join(import.meta.dirname, '..', 'node_modules', '.cache', 'bench') };
const TARGET_MB = 150;

const run = promisify(execFile);

/** Resident bytes after each tenth of the reports. */
const residentBytes = async (flags: readonly string[], reports: number): Promise<readonly number[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  try {
    const { stdout } = await run(process.execPath, [...flags, ENGINE, join(folder, 'memory.db'), String(reports)], {
      env: ENV,
    });
    return stdout.trim().split('\n').map(Number);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

export const benchMemory = async ({ reports, say }: BenchOptions): Promise<readonly Figure[]> => {
  const figure = async (what: string, flags: readonly string[], isAim: boolean): Promise<Figure> => {
    // The first run of these flags fills the cache.
    const [bare = 0] = await residentBytes(flags, 10);
    const tenths = await residentBytes(flags, reports);
    const most = Math.max(...tenths);
    say(`${what}: ${tenths.map(megabytes).join(', ')}`);
    return {
      what: `resident over ${reports.toLocaleString('en')} reports, ${what}`,
      ours: `${megabytes(most)} at most, ${megabytes(tenths[1] ?? 0)} after a fifth, ${megabytes(tenths.at(-1) ?? 0)} at the end`,
      beside: `${megabytes(bare)} after 10`,
      target: isAim ? `<= ${TARGET_MB} MB` : '',
      isMet: isAim ? most <= TARGET_MB * 1_048_576 : undefined,
    };
  };
  return [
    await figure('as deviations report and mcp run', ['--optimize-for-size'], true),
    await figure("in an engine with Node's own settings", [], false),
  ];
};
