import type { Cli } from '../command.ts';
import { Command, configOf, withSettings } from '../command.ts';
import { type FilterFlags, filterOf, withFilters } from '../filters.ts';
import { wholeNumber } from '../lists.ts';
import { DEVIATION_COLUMNS, deviationJson } from '../output/deviations.ts';
import { type Format, formatOption, print } from '../output/format.ts';
import { DATABASE_SETTINGS } from '../settings.ts';

interface QueryFlags extends FilterFlags {
  readonly limit?: number;
  readonly output?: Format;
  readonly failIfEmpty?: boolean;
}

export const queryCommand = (cli: Cli): Command => {
  const command = withFilters(
    withSettings(new Command('query'), DATABASE_SETTINGS).description('find stored deviations, the newest first'),
  )
    .option('-n, --limit <count>', 'at most so many', wholeNumber(1, 1_000_000))
    .option('--fail-if-empty', 'exit 6 when nothing matches')
    .addOption(formatOption());

  return command.action(async (flags: QueryFlags) => {
    await cli.ends(
      (async () => {
        const [{ openReader }, { sayNothing }] = await Promise.all([
          import('../../consumer/index.ts'),
          import('../output/nothing.ts'),
        ]);
        const reader = openReader(configOf(command, cli).database());
        try {
          const records = await reader.deviations(filterOf(flags), flags.limit);
          await print({ records, columns: DEVIATION_COLUMNS, toJson: deviationJson }, cli.screen, flags.output);
          if (records.length === 0) await sayNothing(reader, cli.io);
          return records.length === 0 && flags.failIfEmpty === true ? 6 : 0;
        } finally {
          await reader.close();
        }
      })(),
    );
  });
};
