/** The real program, and other scripts, as processes of their own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from './wait-for.ts';

export const REPOSITORY = join(import.meta.dirname, '..', '..');
export const PROGRAM = join(REPOSITORY, 'bin', 'deviations.js');

export interface ProcessOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** What it reads on stdin; nothing unless given. */
  readonly input?: string | Uint8Array;
}

/** A line of the program's own log. */
export type LogLine = Readonly<Record<string, unknown>>;

export interface RunningProcess {
  readonly pid: number;
  readonly isRunning: () => boolean;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** The lines of stderr that are JSON objects. */
  readonly log: () => readonly LogLine[];
  /** The log line whose `msg` is this one and whose fields hold these, once it is there. */
  logged(msg: string, fields?: LogLine): Promise<LogLine>;
  kill(signal: NodeJS.Signals): void;
  /** Waits for the end. */
  ended(limitMs?: number): Promise<Ended>;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

const END_LIMIT_MS = 30_000;

export const linesOf = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');

const logLines = (stderr: string): readonly LogLine[] =>
  linesOf(stderr)
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as LogLine); // an object, by its braces

const isOver = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

/** Starts a script under this Node. It ends with the test process, however that ends: the channel closes with it. */
export const startNode = (args: readonly string[], { env, cwd, input = '' }: ProcessOptions): RunningProcess => {
  const child = spawn(process.execPath, [...args], { env, cwd, stdio: ['pipe', 'pipe', 'pipe', 'ipc'] });
  let [stdout, stderr] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  // One that refuses its options reads nothing: its exit code says so, not a broken pipe here.
  child.stdin?.on('error', () => {});
  child.stdin?.end(input);
  const closed = once(child, 'close');
  const said = (): string => `its stdout:\n${stdout}\nits stderr:\n${stderr}`;
  const what = `${args.join(' ')} (process ${child.pid})`;

  return {
    pid: child.pid ?? 0,
    isRunning: () => !isOver(child),
    stdout: () => stdout,
    stderr: () => stderr,
    log: () => logLines(stderr),
    logged: (msg, fields = {}) =>
      waitFor(
        `the log line "${msg}" with ${JSON.stringify(fields)} of ${what}`,
        () => {
          const wanted = Object.entries(fields);
          const found = logLines(stderr).find(
            (line) => line.msg === msg && wanted.every(([name, value]) => line[name] === value),
          );
          if (found === undefined && isOver(child)) throw new Error(`${what} ended before "${msg}"; ${said()}`);
          return found;
        },
        { seen: said },
      ),
    kill: (signal) => void child.kill(signal),
    ended: async (limitMs = END_LIMIT_MS) => {
      await waitFor(`the end of ${what}`, () => isOver(child), { limitMs, seen: said });
      await closed;
      return { code: child.exitCode, signal: child.signalCode, stdout, stderr };
    },
  };
};

/** `deviations <args>`, running. */
export const startDeviations = (args: readonly string[], options: ProcessOptions): RunningProcess =>
  startNode([PROGRAM, ...args], options);

/** `deviations <args>`, to its end. */
export const deviations = (args: readonly string[], options: ProcessOptions): Promise<Ended> =>
  startDeviations(args, options).ended();

/** Whether a process of that number still does something; one that only waits to be counted by its parent does not. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z';
  } catch {
    // Gone in between, or a system without /proc, where the signal's word has to do.
    return process.platform !== 'linux';
  }
};
