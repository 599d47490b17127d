import { spawn } from 'node:child_process';

export interface Guardian {
  /** Sends it away: there is nothing left to clean up. */
  dismiss(): void;
}

/**
 * A shell that waits for the end of this process and then runs a script. It waits on a pipe, which the system closes
 * however the process ends, SIGKILL included; it is a session of its own, so that Ctrl-C does not reach it.
 */
export const postGuardian = (script: string, argument: string): Guardian => {
  const guardian = spawn('sh', ['-c', 'while read -r line; do :; done; exec sh "$0" "$1"', script, argument], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without a guardian the stack works all the same; the next start sweeps what it would have cleaned up.
  guardian.on('error', () => {});
  guardian.stdin.on('error', () => {});
  guardian.unref();
  return {
    dismiss: () => {
      guardian.kill('SIGKILL');
      guardian.stdin.destroy();
    },
  };
};
