import type { Cli } from '../command.ts';
import { Command, configOf, withSettings } from '../command.ts';
import { writeLine } from '../io.ts';
import { DATABASE_SETTINGS } from '../settings.ts';

export const migrateCommand = (cli: Cli): Command => {
  const command = withSettings(new Command('migrate'), DATABASE_SETTINGS).description(
    "make the database's tables, or bring them up to date",
  );
  return command.action(async () => {
    await cli.ends(
      (async () => {
        const { migrate } = await import('../../consumer/index.ts');
        const applied = await migrate(configOf(command, cli).database());
        const said = applied.length === 0 ? ['up to date'] : applied.map((name) => `applied ${name}`);
        for (const line of said) await writeLine(cli.io.stderr, line);
        return 0;
      })(),
    );
  });
};
