/** The commands as a completion script needs them: read from the program itself, so that neither can lag behind. */
import type { Argument, Command, Option } from 'commander';

export interface CompletedFlag {
  /** `--output`, `-o`: as they are typed. */
  readonly names: readonly string[];
  readonly help: string;
  readonly takesValue: boolean;
  /** The value names a file. */
  readonly isFile: boolean;
  /** The words of a closed list; none for a free value. */
  readonly words: readonly string[];
}

export interface CompletedCommand {
  /** Its words behind the program's name; empty for the program itself. */
  readonly path: readonly string[];
  readonly help: string;
  readonly children: readonly { readonly name: string; readonly help: string }[];
  readonly flags: readonly CompletedFlag[];
  /** The words of its arguments, when they are of a closed list. */
  readonly words: readonly string[];
}

const flagOf = ({ short, long, description, flags, required, optional, argChoices }: Option): CompletedFlag => ({
  names: [long, short].filter((name) => name !== undefined),
  help: description,
  takesValue: required || optional,
  isFile: flags.endsWith('<file>'),
  words: argChoices ?? [],
});

const HELP: CompletedFlag = {
  names: ['--help', '-h'],
  help: 'display help for command',
  takesValue: false,
  isFile: false,
  words: [],
};

const wordsOf = ({ argChoices }: Argument): readonly string[] => argChoices ?? [];

/** Every command, the program first; the flags of the program are flags of each. */
export const commandTree = (program: Command): readonly CompletedCommand[] => {
  const everywhere = program.options.map(flagOf);
  const walk = (command: Command, path: readonly string[]): readonly CompletedCommand[] => {
    const own = command === program ? [] : command.options.map(flagOf);
    return [
      {
        path,
        help: command.description(),
        children: command.commands.map((child) => ({ name: child.name(), help: child.description() })),
        flags: [...own, ...everywhere, HELP],
        words: command.registeredArguments.flatMap(wordsOf),
      },
      ...command.commands.flatMap((child) => walk(child, [...path, child.name()])),
    ];
  };
  return walk(program, []);
};
