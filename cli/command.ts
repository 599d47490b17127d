/** What a command is built with: the settings it takes as flags, its exit code, and the world. */
import { Command, Option } from 'commander';
import type { Config } from './config.ts';
import { readConfig } from './config.ts';
import type { Io, StackDoor } from './io.ts';
import { SETTINGS, type SettingName } from './settings.ts';

export interface Cli {
  readonly io: Io;
  readonly openStack: StackDoor;
  /** Runs a command's deed and keeps its exit code. */
  ends(work: Promise<number>): Promise<void>;
}

/** Flags for the settings that the command uses; `configOf` reads them back. */
export const withSettings = (command: Command, names: readonly SettingName[]): Command => {
  for (const name of names) {
    const row: { readonly flag: string; readonly help: string; readonly default?: string } = SETTINGS[name];
    const standard = row.default === undefined ? '' : `, else ${row.default}`;
    command.addOption(new Option(row.flag, `${row.help} (else ${name}${standard})`));
  }
  return command;
};

export const configOf = (command: Command, cli: Cli): Config =>
  readConfig(command.optsWithGlobals<Record<string, unknown>>(), cli.io.env);

export { Command, Option };
