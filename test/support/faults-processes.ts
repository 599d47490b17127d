/** Other processes on the same outbox. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { REPOSITORY, type RunningProcess, startNode } from './processes.ts';
import { waitFor } from './wait-for.ts';

const script = (name: string): string => join(REPOSITORY, 'test', 'support', name);

const environment = (): Record<string, string> => ({ PATH: process.env['PATH'] ?? '' });

/** Has the outbox open, and the relay's lease if that is wished, until it is killed. */
export const holdOutbox = async (file: string, wish?: 'lease'): Promise<RunningProcess> => {
  const holder = startNode([script('faults-holder.ts'), file, ...(wish === undefined ? [] : [wish])], {
    env: environment(),
  });
  await waitFor('the other process to hold the outbox', () => holder.stdout().includes('holds'), {
    seen: () => holder.stderr(),
  });
  return holder;
};

export interface Locker {
  letGo(): Promise<void>;
}

/** Keeps every writer waiting, until it is told to let go. */
export const lockOutbox = async (file: string): Promise<Locker> => {
  const child = fork(script('faults-locker.ts'), [file], { execArgv: [], stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  const [said] = (await once(child.stdout ?? child, 'data')) as [Buffer]; // a pipe without an encoding
  if (!said.toString().includes('locked')) throw new Error('the outbox could not be locked');
  return {
    letGo: async () => {
      const ended = once(child, 'exit');
      child.send('let go');
      await ended;
    },
  };
};

/** Another process tries to lock the outbox's file of that name, once: `got` or `refused`. */
export const askForLease = async (file: string, lock: 'relay' | 'users' = 'relay'): Promise<string> => {
  const asked = startNode([script('faults-holder.ts'), file, 'ask', lock], { env: environment() });
  return (await asked.ended()).stdout;
};
