/** What a process has used, by what Linux keeps of it below /proc. */
import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** The fields behind the program's name, which may hold anything: state, parent, … */
const statOf = (pid: number): readonly string[] => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
};

const seconds = (fields: readonly string[], ...places: readonly number[]): number =>
  places.reduce((sum, place) => sum + Number(fields[place] ?? 0), 0) / TICKS_PER_SECOND;

/** Of all its threads; 0 for a process that is gone. */
export const cpuSecondsOf = (pid: number): number => {
  try {
    return seconds(statOf(pid), 11, 12);
  } catch {
    return 0;
  }
};

const statusBytes = (pid: number, name: 'VmHWM' | 'VmRSS'): number => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) * 1_024;
};

/** What it has in memory now. */
export const residentBytes = (pid: number): number => statusBytes(pid, 'VmRSS');

/** The most it ever had in memory. */
export const peakResidentBytes = (pid: number): number => statusBytes(pid, 'VmHWM');

export interface ServerCpu {
  /** The processes that serve this database's connections. */
  readonly backendsSeconds: number;
  /** The whole server: they, the log's writer, the checkpointer and all the rest. */
  readonly wholeSeconds: number;
}

export const postgresCpu = (postmaster: number, database: string): ServerCpu => {
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').split(' ').filter(Boolean);
  let [backendsSeconds, wholeSeconds] = [0, seconds(statOf(postmaster), 11, 12, 13, 14)];
  for (const child of children.map(Number)) {
    const used = cpuSecondsOf(child);
    wholeSeconds += used;
    if (titleOf(child).includes(` ${database} `)) backendsSeconds += used;
  }
  return { backendsSeconds, wholeSeconds };
};

const titleOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
};
