import { type Cli, Command } from '../../command.ts';
import { checkCommand } from './check.ts';
import { diffCommand } from './diff.ts';
import { lintCommand } from './lint.ts';
import { lockCommand } from './lock.ts';
import { registerCommand } from './register.ts';
import { showCommand } from './show.ts';

const COMMANDS = [lintCommand, checkCommand, diffCommand, showCommand, lockCommand, registerCommand] as const;

export const schemaCommand = (cli: Cli): Command => {
  const schema = new Command('schema').description('the contract: lint, check, diff, show, lock, register');
  for (const command of COMMANDS) schema.addCommand(command(cli));
  return schema;
};
