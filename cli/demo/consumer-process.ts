/** A consumer as a process of its own, as in production. Its log goes to a file, so that the demo's talk stays readable. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { type Consumer, within } from '../../wire/index.ts';

const PROGRAM = join(import.meta.dirname, '..', '..', 'bin', 'deviations.js');
const STOP_LIMIT_MS = 12_000;

export interface ConsumerProcess {
  readonly consumer: Consumer;
  readonly pid: number;
  readonly logFile: string;
  /** Undefined while it runs. */
  exitCode(): number | undefined;
  stop(): Promise<void>;
}

export interface ConsumerProcessOptions {
  readonly consumer: Consumer;
  readonly group: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  /** Outlives this process; otherwise it ends with it, however that ends. */
  readonly keep: boolean;
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

export const startConsumer = ({ consumer, group, env, folder, keep }: ConsumerProcessOptions): ConsumerProcess => {
  const logFile = join(folder, `${consumer}.log`);
  const log = openSync(logFile, 'a');
  const child = spawn(process.execPath, [PROGRAM, consumer, '--group', group], {
    env: { ...env },
    detached: keep,
    stdio: keep ? ['ignore', log, log] : ['ignore', log, log, 'ipc'],
  });
  if (keep) child.unref();
  return {
    consumer,
    pid: child.pid ?? 0,
    logFile,
    exitCode: () => (hasEnded(child) ? (child.exitCode ?? 1) : undefined),
    stop: async () => {
      if (hasEnded(child)) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await within<unknown>(STOP_LIMIT_MS, ended, () => child.kill('SIGKILL'));
    },
  };
};
