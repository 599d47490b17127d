/** What a command is built with: the settings it takes as flags, its exit code, and the world. */
import { Command, Option } from 'commander';
import type { Log } from '../wire/index.ts';
import type { Config } from './config.ts';
import { readConfig } from './config.ts';
import type { Io, StackDoor } from './io.ts';
import type { Screen } from './output/screen.ts';
import { type SettingName, type SettingRow, SETTINGS } from './settings.ts';

export interface Cli {
  readonly io: Io;
  /** Where data goes, as the global flags want it. */
  readonly screen: Screen;
  readonly openStack: StackDoor;
  /** Runs a command's deed and keeps its exit code. Ctrl-C, SIGTERM or a closed pipe ends it where it stands. */
  ends(work: Promise<number>): Promise<void>;
  /** The same for a deed that heeds `io.stop` by itself, because it has something to put away. */
  endsItself(work: Promise<number>): Promise<void>;
}

/** Flags for the settings that the command uses; `configOf` reads them back. */
export const withSettings = (command: Command, names: readonly SettingName[]): Command => {
  for (const name of names) {
    const row: SettingRow = SETTINGS[name];
    const standard = row.default === undefined ? '' : `, else ${row.default}`;
    const option = new Option(SETTINGS[name].flag, `${row.help} (else ${name}${standard})`);
    // A wrong word is a wrong setting, wherever it came from, and no usage error.
    command.addOption(row.words === undefined ? option : option.choices(row.words).argParser((given) => given));
  }
  return command;
};

export const configOf = (command: Command, cli: Cli): Config =>
  readConfig(command.optsWithGlobals<Record<string, unknown>>(), cli.io.env);

/** Loaded when a command runs: help needs no logger. */
export const logOf = async (config: Config, cli: Cli): Promise<Log> =>
  (await import('./log.ts')).createLog(config.logLevel(), cli.io.stderr);

export { Command, Option };
