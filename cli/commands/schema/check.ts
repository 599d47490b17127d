import { type Cli, Command, configOf, withSettings } from '../../command.ts';
import { writeLine } from '../../io.ts';
import { REGISTRY_SETTINGS } from '../../settings.ts';
import { type FindingFormat, findingFormatOption, printFindings } from './findings.ts';

export const checkCommand = (cli: Cli): Command => {
  const command = withSettings(new Command('check'), REGISTRY_SETTINGS)
    .description('whether the schemas are the locked ones, and the registered ones when a registry is configured')
    .addOption(findingFormatOption());
  return command.action(async (flags: { readonly output: FindingFormat }) => {
    await cli.ends(
      (async () => {
        const [{ checkedContract }, wire] = await Promise.all([import('./texts.ts'), import('../../../wire/index.ts')]);
        const { contract, findings: offline } = checkedContract();
        const config = configOf(command, cli);
        const hasRegistry = config.has('SCHEMA_REGISTRY_URL');
        if (!hasRegistry) await writeLine(cli.io.stderr, 'no SCHEMA_REGISTRY_URL: checked against the lock file alone');
        const online = hasRegistry ? await wire.checkRegistered(wire.createRegistry(config.registry()), contract) : [];
        const passed = hasRegistry ? 'locked and registered as they are' : 'locked as they are';
        return printFindings([...offline, ...online], passed, cli.io, flags.output);
      })(),
    );
  });
};
