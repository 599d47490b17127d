import { type Cli, Command } from '../../command.ts';
import { writeLine } from '../../io.ts';

export const showCommand = (cli: Cli): Command =>
  new Command('show')
    .description("print a type's schema as it stands in this tree")
    .argument('[type]', 'event type', 'anamnese.agent_deviation')
    .action(async (asked: string, _flags: unknown, self: Command) => {
      const { EVENT_TYPES, loadSchemaText } = await import('../../../schemas/index.ts');
      const type = EVENT_TYPES.find((one) => one === asked);
      if (type === undefined) self.error(`error: give one of ${EVENT_TYPES.join(', ')}`, { exitCode: 2 });
      else await cli.ends(writeLine(cli.io.stdout, loadSchemaText(type).trimEnd()).then(() => 0));
    });
