import type { StoredDeviation } from '../../consumer/index.ts';
import type { Cli } from '../command.ts';
import { Command, configOf, withSettings } from '../command.ts';
import { type FilterFlags, filterOf, withFilters } from '../filters.ts';
import { wholeNumber } from '../lists.ts';
import { DEVIATION_SHAPE } from '../output/deviations.ts';
import { type Format, formatOption, printParts } from '../output/format.ts';
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
        const [{ deviationsInParts, openReader }, { sayNothing }] = await Promise.all([
          import('../../consumer/index.ts'),
          import('../output/nothing.ts'),
        ]);
        const reader = openReader(configOf(command, cli).database());
        try {
          let count = 0;
          async function* parts(): AsyncGenerator<readonly StoredDeviation[]> {
            for await (const part of deviationsInParts(reader, filterOf(flags), flags.limit)) {
              count += part.length;
              yield part;
            }
          }
          await printParts(DEVIATION_SHAPE, parts(), cli.screen, flags.output);
          if (count === 0) await sayNothing(reader, cli.io);
          return count === 0 && flags.failIfEmpty === true ? 6 : 0;
        } finally {
          await reader.close();
        }
      })(),
    );
  });
};
