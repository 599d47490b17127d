/** Ties the program to this process: its streams, its signals, its end. */
import { CLOSED_PIPE, INTERRUPTED, type StackDoor, TERMINATED } from './io.ts';
import { main } from './main.ts';

const SIGNALS = { [INTERRUPTED]: 130, [TERMINATED]: 143 } as const;

/** One Ctrl-C may come twice: from the terminal, and handed on by a parent (npx, an older Node). Milliseconds. */
const SAME_SIGNAL_MS = 300;

export const start = async (openStack: StackDoor): Promise<void> => {
  const stop = new AbortController();
  let signalledAtMs = -Infinity;
  for (const [signal, code] of Object.entries(SIGNALS)) {
    process.on(signal, () => {
      // The first asks for a clean end, the second does not wait for it.
      if (stop.signal.aborted && performance.now() - signalledAtMs > SAME_SIGNAL_MS) process.exit(code);
      if (!stop.signal.aborted) signalledAtMs = performance.now();
      stop.abort(signal);
    });
  }
  // Started by a process that may be killed: its channel closes with it.
  if (process.connected) process.once('disconnect', () => stop.abort('disconnect'));
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== CLOSED_PIPE) process.exit(1);
    stop.abort(CLOSED_PIPE);
  });
  // Nobody hears the talk: the data may still be wanted.
  process.stderr.on('error', () => {});

  const { stdin, stdout, stderr, env } = process;
  const exitCode = await main(process.argv.slice(2), { stdin, stdout, stderr, env, stop: stop.signal }, openStack);
  // Not left to the event loop: a socket of a dependency must not keep a finished program alive.
  process.exit(exitCode);
};
