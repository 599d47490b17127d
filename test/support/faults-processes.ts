/** Other processes on the same outbox. */
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
