/** The program as a function that returns its exit code. Tests call it; the bin file is three lines. */
import { CommanderError } from 'commander';
import { isStreamError } from '../wire/errors.ts';
import { type Cli, Command } from './command.ts';
import { CLOSED_PIPE, INTERRUPTED, type Io, type StackDoor, TERMINATED, writeLine } from './io.ts';
import { createScreen } from './output/screen.ts';
import { buildProgram, screenWishOf } from './program.ts';

const EXIT = { fine: 0, unexpected: 1, usage: 2, interrupted: 130, terminated: 143 } as const;

/** How a command ends that was stopped in the middle. */
const stoppedBy = (reason: unknown): number => {
  if (reason === INTERRUPTED) return EXIT.interrupted;
  return reason === TERMINATED ? EXIT.terminated : EXIT.fine;
};

/** Resolves when the stop is raised; the work that it overtakes is left to the end of the process. */
const stopped = (stop: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (stop.aborted) resolve();
    else stop.addEventListener('abort', () => resolve(), { once: true });
  });

const exitCodeOf = async (error: unknown, io: Io): Promise<number> => {
  if (error instanceof CommanderError) {
    // Help that was asked for is no mistake; help for want of a command is.
    return error.exitCode === 0 ? 0 : EXIT.usage;
  }
  if (isStreamError(error)) {
    await writeLine(io.stderr, `deviations: ${error.message}`);
    return error.exitCode;
  }
  const name = error instanceof Error ? error.name : 'no error object';
  // Its message may quote a value; the stack's places do not.
  const at =
    error instanceof Error
      ? (error.stack ?? '')
          .split('\n')
          .filter((line) => /^\s+at /.test(line))
          .slice(0, 5)
      : [];
  await writeLine(
    io.stderr,
    [`deviations: unexpected (${name}). Please report it with these places:`, ...at].join('\n'),
  );
  return EXIT.unexpected;
};

/** `argv` without the program's own two words. */
export const main = async (argv: readonly string[], io: Io, openStack: StackDoor): Promise<number> => {
  let exitCode: number = EXIT.fine;
  const program = new Command('deviations');
  const cli: Cli = {
    io,
    openStack,
    get screen() {
      return createScreen(io, screenWishOf(program));
    },
    ends: async (work) => {
      exitCode = await Promise.race([work, stopped(io.stop).then(() => stoppedBy(io.stop.reason))]);
    },
    endsItself: async (work) => {
      exitCode = await work;
    },
  };
  buildProgram(program, cli);

  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    exitCode = await exitCodeOf(error, io);
  }
  // A reader such as `head` has seen enough: that is no failure.
  if (io.stop.reason === CLOSED_PIPE) return EXIT.fine;
  return io.stop.reason === INTERRUPTED ? EXIT.interrupted : exitCode;
};
