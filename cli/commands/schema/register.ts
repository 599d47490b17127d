import type { Registered } from '../../../wire/index.ts';
import { type Cli, Command, configOf, withSettings } from '../../command.ts';
import { type Column, type Format, formatOption, print } from '../../output/format.ts';
import { REGISTRY_SETTINGS } from '../../settings.ts';

const COLUMNS: readonly Column<Registered>[] = [
  { heading: 'subject', of: ({ subject }) => subject },
  { heading: 'schemaId', of: ({ id }) => String(id) },
  { heading: 'level', of: ({ level }) => level },
];

interface RegisterFlags {
  readonly rn?: string;
  readonly output?: Format;
}

export const registerCommand = (cli: Cli): Command => {
  const command = withSettings(new Command('register'), REGISTRY_SETTINGS)
    .description("register this tree's schemas and their level; safe to repeat, the only writer of the registry")
    .option('--rn <rule>', 'the rule that orders a change of the vocabulary; consumers are deployed first')
    .addOption(formatOption());
  return command.action(async (flags: RegisterFlags) => {
    await cli.ends(
      (async () => {
        const [{ checkedContract }, wire] = await Promise.all([import('./texts.ts'), import('../../../wire/index.ts')]);
        const registry = wire.createRegistry(configOf(command, cli).registry());
        const { contract, findings } = checkedContract();
        if (findings.length > 0) {
          throw new wire.StreamError(
            'DATA_PROBLEM',
            `the schemas are not the locked ones, ${findings.length} finding(s)`,
            'See them: deviations schema check. Nothing was registered',
          );
        }
        const say = (step: string): void => void cli.io.stderr.write(`${step}\n`);
        const options = flags.rn === undefined ? { say } : { say, rn: flags.rn };
        const records = await wire.registerSchemas(registry, options, contract);
        await print(
          { records, columns: COLUMNS, toJson: ({ subject, id, level }) => ({ subject, schemaId: id, level }) },
          cli.screen,
          flags.output,
        );
        return 0;
      })(),
    );
  });
};
