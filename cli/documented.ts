/** The command table as a page about it needs it. */
import { Readable, Writable } from 'node:stream';
import { type Cli, Command, type Option } from './command.ts';
import { withFilters } from './filters.ts';
import { buildProgram, EXIT_CODES } from './program.ts';
import { type SettingName, SETTINGS, ALL_SETTINGS } from './settings.ts';

interface DocumentedFlag {
  readonly flags: string;
  readonly help: string;
  readonly words: readonly string[];
  readonly standard: string | undefined;
}

export interface DocumentedCommand {
  /** With the program's name. */
  readonly words: string;
  readonly help: string;
  readonly usage: string;
  /** Its own: neither settings nor filters. */
  readonly flags: readonly DocumentedFlag[];
  readonly settings: readonly SettingName[];
  readonly hasFilters: boolean;
}

interface DocumentedSetting {
  readonly name: string;
  readonly flag: string | undefined;
  readonly help: string;
  readonly words: readonly string[];
  readonly standard: string | undefined;
}

const SETTING_OF: ReadonlyMap<string, SettingName> = new Map(
  Object.entries(SETTINGS).map(([name, { flag }]) => [flag, name as SettingName]),
); // its own keys

/** A duration's default is in milliseconds, which nobody types. */
const standardOf = ({ defaultValue, flags }: Option): string | undefined => {
  if (defaultValue === undefined) return undefined;
  const isDuration = flags.includes('<duration>') && typeof defaultValue === 'number';
  return isDuration ? `${defaultValue / 1_000}s` : String(defaultValue);
};

const documentedFlag = (option: Option): DocumentedFlag => ({
  flags: option.flags,
  help: option.description,
  words: option.argChoices ?? [],
  standard: standardOf(option),
});

const documentedSettings = (): readonly DocumentedSetting[] =>
  Object.entries(ALL_SETTINGS).map(([name, { flag, help, words = [], default: standard }]) => ({
    name,
    flag,
    help,
    words,
    standard,
  }));

/** The commands that do something, in the order of the table. */
const documentedCommands = (
  command: Command,
  filters: readonly Option[],
  words: string = command.name(),
): readonly DocumentedCommand[] => {
  const has = ({ flags }: Option): boolean => command.options.some((one) => one.flags === flags);
  // One that has only some of them tells them as its own.
  const hasFilters = filters.every(has);
  const isFilter = ({ flags }: Option): boolean => hasFilters && filters.some((filter) => filter.flags === flags);
  const children = command.commands.flatMap((child) => documentedCommands(child, filters, `${words} ${child.name()}`));
  if (command.commands.length > 0) return children;
  const settings = command.options.map(({ flags }) => SETTING_OF.get(flags)).filter((name) => name !== undefined);
  return [
    {
      words,
      help: command.description(),
      usage: `${words} ${command.usage()}`,
      flags: command.options.filter((one) => !isFilter(one) && !SETTING_OF.has(one.flags)).map(documentedFlag),
      settings,
      hasFilters,
    },
  ];
};

const NO_STREAM = new Writable({ write: (_chunk, _encoding, done) => done() });

/** Never run: what it is made of is there without a world. */
const nowhere = (): Cli => ({
  io: { stdin: Readable.from([]), stdout: NO_STREAM, stderr: NO_STREAM, env: {}, stop: new AbortController().signal },
  get screen(): never {
    throw new TypeError('a program that is only looked at has no screen');
  },
  openStack: () => Promise.reject(new TypeError('a program that is only looked at opens nothing')),
  ends: () => Promise.resolve(),
  endsItself: () => Promise.resolve(),
});

/** The program as docs/cli.md tells it. */
export const documentedProgram = () => {
  const program = new Command('deviations');
  buildProgram(program, nowhere());
  const filters = withFilters(new Command()).options;
  return {
    commands: documentedCommands(program, filters),
    globals: program.options.map(documentedFlag),
    filters: filters.map(documentedFlag),
    settings: documentedSettings(),
    exitCodes: EXIT_CODES,
  };
};
