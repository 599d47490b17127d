import { spawn } from 'node:child_process';
import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Body } from '../server.ts';
import { waitUntil } from '../wait.ts';
import { FAILED } from '../folders.ts';

export interface Command {
  /** Names the pid file and the log in the run's folder. */
  readonly name: string;
  readonly program: string;
  /** Somewhere in them the run's folder is named: end-run.sh knows the process by that. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface OwnProcess extends Body {
  /** How the process ended; undefined while it runs and when it never came to be. */
  readonly exitCode: () => number | undefined;
}

const END_LIMIT_MS = 5_000;

/** A process of the run in that folder. It is not started yet. */
export const ownProcess = (folder: string, command: Command): OwnProcess => {
  const { name } = command;
  const log = join(folder, `${name}.log`);
  const pidFile = join(folder, `${name}.pid`);
  let pid: number | undefined;
  let exitCode: number | undefined;

  const signal = (word: NodeJS.Signals): void => {
    if (pid !== undefined) process.kill(pid, word);
  };
  const isGone = (): Promise<boolean> => waitUntil(END_LIMIT_MS, undefined, () => pid === undefined);
  const kill = async (): Promise<void> => {
    signal('SIGKILL');
    await isGone();
  };
  const end = async (): Promise<void> => {
    signal('SIGTERM');
    // A paused process notices nothing until it goes on.
    signal('SIGCONT');
    if (!(await isGone())) await kill();
  };

  return {
    start: async () => {
      const logFile = openSync(log, 'a');
      // A session of its own, so that Ctrl-C ends it through stop() and not before; nothing of it keeps this process alive.
      const child = spawn(command.program, command.args, {
        cwd: folder,
        detached: true,
        stdio: ['ignore', logFile, logFile],
        env: command.env,
      });
      closeSync(logFile);
      pid = child.pid;
      exitCode = undefined;
      // At once and not later: whoever cleans up after a killed runner knows only what is in these files.
      if (pid !== undefined) writeFileSync(pidFile, `${pid}\n`);
      const over = (code: number | null): void => {
        pid = undefined;
        exitCode = code ?? undefined;
        rmSync(pidFile, { force: true });
      };
      child.once('exit', over);
      child.once('error', () => over(null));
      child.unref();
    },
    isRunning: async () => pid !== undefined,
    pause: async () => signal('SIGSTOP'),
    resume: async () => signal('SIGCONT'),
    kill,
    end,
    remove: end,
    keepLog: async () => {
      await mkdir(FAILED, { recursive: true });
      const kept = join(FAILED, `${basename(folder)}-${name}.log`);
      await copyFile(log, kept);
      return kept;
    },
    exitCode: () => exitCode,
  };
};
