import type { Registered } from '../../wire/index.ts';
import type { Cli } from '../command.ts';
import { Command, configOf, withSettings } from '../command.ts';
import { writeLine } from '../io.ts';
import { type Column, type Format, formatOption, print } from '../output/format.ts';
import { REGISTRY_SETTINGS } from '../settings.ts';

const COLUMNS: readonly Column<Registered>[] = [
  { heading: 'subject', of: ({ subject }) => subject },
  { heading: 'schemaId', of: ({ id }) => String(id) },
  { heading: 'level', of: ({ level }) => level },
];

const registerCommand = (cli: Cli): Command => {
  const command = withSettings(new Command('register'), REGISTRY_SETTINGS)
    .description("register this tree's schemas and their level; safe to repeat, the only writer of the registry")
    .addOption(formatOption());
  return command.action(async (flags: { readonly output?: Format }) => {
    await cli.ends(
      (async () => {
        const { createRegistry, registerSchemas } = await import('../../wire/index.ts');
        const records = await registerSchemas(createRegistry(configOf(command, cli).registry()));
        await print(
          { records, columns: COLUMNS, toJson: ({ subject, id, level }) => ({ subject, schemaId: id, level }) },
          cli.io,
          flags.output,
        );
        return 0;
      })(),
    );
  });
};

const showCommand = (cli: Cli): Command =>
  new Command('show')
    .description("print a type's schema as it stands in this tree")
    .argument('[type]', 'event type', 'anamnese.agent_deviation')
    .action(async (asked: string, _flags: unknown, command: Command) => {
      const { EVENT_TYPES, loadSchemaText } = await import('../../schemas/index.ts');
      const type = EVENT_TYPES.find((one) => one === asked);
      if (type === undefined) command.error(`error: give one of ${EVENT_TYPES.join(', ')}`, { exitCode: 2 });
      else await cli.ends(writeLine(cli.io.stdout, loadSchemaText(type).trimEnd()).then(() => 0));
    });

export const schemaCommand = (cli: Cli): Command =>
  new Command('schema')
    .description('the contract: register, show')
    .addCommand(registerCommand(cli))
    .addCommand(showCommand(cli));
