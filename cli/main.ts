/** The program as a function that returns its exit code. Tests call it; the bin file is three lines. */
import { CommanderError } from 'commander';
import { isStreamError } from '../wire/errors.ts';
import { type Cli, Command } from './command.ts';
import { graphCommand, sinkCommand } from './commands/consume.ts';
import { demoCommand } from './commands/demo.ts';
import { mcpCommand } from './commands/mcp.ts';
import { migrateCommand } from './commands/migrate.ts';
import { outboxCommand } from './commands/outbox.ts';
import { positionCommand } from './commands/position.ts';
import { queryCommand } from './commands/query.ts';
import { reportCommand } from './commands/report.ts';
import { schemaCommand } from './commands/schema/index.ts';
import { statusCommand } from './commands/status.ts';
import { toolCommand } from './commands/tool.ts';
import { topicCommand } from './commands/topic.ts';
import { type Io, type StackDoor, writeLine } from './io.ts';

const COMMANDS = [
  demoCommand,
  reportCommand,
  toolCommand,
  mcpCommand,
  outboxCommand,
  sinkCommand,
  graphCommand,
  queryCommand,
  statusCommand,
  positionCommand,
  topicCommand,
  schemaCommand,
  migrateCommand,
] as const;

const EXIT = { unexpected: 1, usage: 2, interrupted: 130 } as const;

/** The signal's name is the abort's reason: only Ctrl-C ends with 130, SIGTERM is a clean stop. */
export const INTERRUPTED = 'SIGINT';

/** Commander gives a sub-command none of its parent's manners. */
const settle = (command: Command, io: Io): void => {
  command.exitOverride().configureOutput({
    writeOut: (text) => void io.stdout.write(text),
    writeErr: (text) => void io.stderr.write(text),
    getOutHelpWidth: () => io.stdout.columns ?? 100,
    getErrHelpWidth: () => io.stderr.columns ?? 100,
  });
  for (const child of command.commands) settle(child, io);
};

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
  let exitCode = 0;
  const cli: Cli = {
    io,
    openStack,
    ends: async (work) => {
      exitCode = await work;
    },
  };
  const program = new Command('deviations')
    .description('agent deviations: report them, store them, ask about them')
    .showHelpAfterError('(see --help)');
  for (const command of COMMANDS) program.addCommand(command(cli));
  settle(program, io);

  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    exitCode = await exitCodeOf(error, io);
  }
  return io.stop.reason === INTERRUPTED ? EXIT.interrupted : exitCode;
};
