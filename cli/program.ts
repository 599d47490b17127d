/** The command table, with the manners that all commands have. Building it runs nothing. */
import { type Cli, Command } from './command.ts';
import { completionCommand } from './commands/completion.ts';
import { configCommand } from './commands/config.ts';
import { graphCommand, sinkCommand } from './commands/consume.ts';
import { demoCommand } from './commands/demo.ts';
import { doctorCommand } from './commands/doctor.ts';
import { mcpCommand } from './commands/mcp.ts';
import { migrateCommand } from './commands/migrate.ts';
import { outboxCommand } from './commands/outbox.ts';
import { positionCommand } from './commands/position.ts';
import { quarantineCommand } from './commands/quarantine/index.ts';
import { queryCommand } from './commands/query.ts';
import { recipesCommand } from './commands/recipes.ts';
import { reportCommand } from './commands/report.ts';
import { schemaCommand } from './commands/schema/index.ts';
import { showCommand } from './commands/show.ts';
import { statsCommand } from './commands/stats.ts';
import { statusCommand } from './commands/status.ts';
import { tailCommand } from './commands/tail.ts';
import { toolCommand } from './commands/tool.ts';
import { topicCommand } from './commands/topic.ts';
import { verifyCommand } from './commands/verify.ts';
import type { Io } from './io.ts';
import { wordOption } from './lists.ts';
import { oneOf } from './near-miss.ts';
import { COLOR_WORDS, type ColorWord } from './output/paint.ts';
import type { ScreenWish } from './output/screen.ts';

/** In the order in which somebody meets them. */
const COMMANDS = {
  'Try it:': [demoCommand],
  'Report:': [reportCommand, toolCommand, mcpCommand, outboxCommand],
  'Store:': [sinkCommand, graphCommand],
  'Ask:': [tailCommand, queryCommand, showCommand, statsCommand, recipesCommand],
  'Check and repair:': [statusCommand, doctorCommand, verifyCommand, quarantineCommand, positionCommand],
  'Set up:': [topicCommand, schemaCommand, migrateCommand, configCommand, completionCommand],
} as const satisfies Record<string, readonly ((cli: Cli) => Command)[]>;

export const EXIT_CODES = [
  [0, 'fine, also when nothing matched, and a clean stop by SIGTERM'],
  [1, 'unexpected: please report it'],
  [2, 'usage, looked at before any setting'],
  [3, 'configuration, or the contract here and the one out there differ'],
  [4, 'a dependency is away, refuses, or is not migrated; an outbox is not drained'],
  [5, 'a data problem: a halt, a record that cannot be read, something missing'],
  [6, 'nothing matched, with --fail-if-empty'],
  [130, 'Ctrl-C'],
  [143, 'a listing or a check ended by SIGTERM before it was complete'],
] as const;

interface GlobalFlags {
  readonly color: ColorWord;
  readonly ascii?: boolean;
}

export const screenWishOf = (program: Command): ScreenWish => {
  const { color, ascii = false } = program.opts<GlobalFlags>();
  return { color, ascii };
};

const HELP_WIDTH = 100;

/** Commander gives a sub-command none of its parent's manners. */
const settle = (command: Command, words: string, io: Pick<Io, 'stdout' | 'stderr'>): void => {
  command
    .exitOverride()
    .showHelpAfterError(`(see ${words} --help)`)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      getOutHelpWidth: () => io.stdout.columns ?? HELP_WIDTH,
      getErrHelpWidth: () => io.stderr.columns ?? HELP_WIDTH,
    });
  for (const child of command.commands) settle(child, `${words} ${child.name()}`, io);
};

/** Commander's own takes a word that it does not know for none, and one word of two. */
const helpCommand = (program: Command): Command =>
  new Command('help')
    .argument('[command...]')
    .description('display help for command')
    .action((words: readonly string[]) => {
      let at = program;
      for (const word of words) {
        const found = at.commands.find((one) => one.name() === word);
        if (found === undefined) {
          const names = at.commands.map((one) => one.name());
          return at.error(
            names.length === 0
              ? `error: ${at.name()} has no commands`
              : `error: no command '${word}'. ${oneOf(word, names)}`,
          );
        }
        at = found;
      }
      at.help();
    });

export const buildProgram = (program: Command, cli: Cli): void => {
  program
    .description('agent deviations: report them, store them, ask about them')
    .addOption(
      wordOption('--color <when>', 'colour; auto: on a terminal, unless NO_COLOR or TERM=dumb', COLOR_WORDS).default(
        'auto',
      ),
    )
    .option('--ascii', 'draw with ASCII alone')
    .addHelpText(
      'after',
      `\nExit codes:\n${EXIT_CODES.map(([code, says]) => `  ${String(code).padEnd(5)}${says}`).join('\n')}`,
    );
  for (const [group, commands] of Object.entries(COMMANDS)) {
    program.commandsGroup(group);
    for (const command of commands) program.addCommand(command(cli));
  }
  program.helpCommand(false).addCommand(helpCommand(program));
  settle(program, 'deviations', cli.io);
};
