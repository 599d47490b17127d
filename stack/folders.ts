import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the local way leaves on the disk, all of it below one folder that git ignores. */
export const CACHE = join(import.meta.dirname, '.cache');
/** One folder per run, gone when the run is over. */
export const RUNS = join(CACHE, 'runs');
/** Logs of servers that did not come up; they outlive their run. */
export const FAILED = join(CACHE, 'failed');

/** When a process started, in the system's own units; undefined when there is no such process. */
const startOf = (pid: number): string | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in parentheses, may contain anything; the start is the 20th field after it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    if (process.platform === 'linux') return undefined;
  }
  try {
    return (
      execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).replaceAll(/\W/g, '') || undefined
    );
  } catch {
    return undefined;
  }
};

/** Names the process that runs it, so that a later one can tell from the name alone whether its owner still lives. */
export const newRunId = (): string => `${process.pid}-${startOf(process.pid) ?? '0'}-${randomBytes(4).toString('hex')}`;

export const ownerLives = (runId: string): boolean => {
  const [pid, start] = runId.split('-');
  return startOf(Number(pid)) === start;
};
