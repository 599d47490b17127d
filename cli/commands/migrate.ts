import type { Cli } from '../command.ts';
import { Command, configOf, withSettings } from '../command.ts';
import { writeLine } from '../io.ts';

export const migrateCommand = (cli: Cli): Command => {
  const command = withSettings(new Command('migrate'), ['DATABASE_URL']).description(
    "make the database's tables, or bring them up to date",
  );
  return command.action(async () => {
    await cli.ends(
      (async () => {
        const { migrate } = await import('../../consumer/index.ts');
        const applied = migrate(configOf(command, cli).database());
        const said = applied.length === 0 ? ['up to date'] : applied.map((name) => `applied ${name}`);
        for (const line of said) await writeLine(cli.io.stderr, line);
        return 0;
      })(),
    );
  });
};
