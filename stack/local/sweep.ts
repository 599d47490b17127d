import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FAILED, RUNS, ownerLives } from '../folders.ts';

/** Ends a run from outside: by the guardian, by the next start, by hand. */
export const END_RUN = join(import.meta.dirname, 'end-run.sh');

/** The file that marks a run which shall outlive its owner. */
export const KEPT = 'kept';

const ONE_RUN_LIMIT_MS = 15_000;
const LOGS_STAY_MS = 7 * 24 * 60 * 60 * 1000;

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** A kept run counts while something of it is up; after a restart of the machine nothing is. */
const isKept = async (folder: string): Promise<boolean> => {
  if (!existsSync(join(folder, KEPT))) return false;
  const pidFiles = (await readdir(folder)).filter((name) => name.endsWith('.pid'));
  const pids = await Promise.all(pidFiles.map((name) => readFile(join(folder, name), 'utf8').catch(() => '')));
  return pids.some((pid) => pid !== '' && isAlive(Number(pid)));
};

/** Ends what a run left behind whose owner and guardian are both gone, and old logs. Never fails: it only tidies up. */
export const sweep = async (say: (line: string) => void): Promise<void> => {
  for (const runId of await readdir(RUNS).catch(() => [])) {
    const folder = join(RUNS, runId);
    if (ownerLives(runId) || (await isKept(folder))) continue;
    say(`sweeping what run ${runId} left behind`);
    await promisify(execFile)('sh', [END_RUN, folder], { timeout: ONE_RUN_LIMIT_MS }).catch(() => {
      say(`could not sweep ${folder}; it does no harm`);
    });
  }
  for (const name of await readdir(FAILED).catch(() => [])) {
    const log = join(FAILED, name);
    const age = await stat(log)
      .then(({ mtimeMs }) => Date.now() - mtimeMs)
      .catch(() => 0);
    if (age > LOGS_STAY_MS) await rm(log, { force: true });
  }
};
