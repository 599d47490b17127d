import { InvalidArgumentError } from 'commander';
import type { Dimension } from '../../consumer/index.ts';
import type { Cli } from '../command.ts';
import { Command, configOf, Option, withSettings } from '../command.ts';
import { type FilterFlags, filterOf, withFilters } from '../filters.ts';
import { wholeNumber } from '../lists.ts';
import { oneOf } from '../near-miss.ts';
import { type Format, formatFor, formatOption } from '../output/format.ts';
import { DATABASE_SETTINGS } from '../settings.ts';

const DIMENSIONS = ['tipo', 'agente', 'session', 'hour', 'day', 'week'] as const satisfies readonly Dimension[];

type By = readonly Dimension[];

/** Separated by commas: together. Given again: a further section. */
const sections = (given: string, before: readonly By[] | undefined): readonly By[] => {
  const by = given.split(',').map((item) => {
    const word = item.trim();
    const dimension = DIMENSIONS.find((one) => one === word);
    if (dimension === undefined) throw new InvalidArgumentError(oneOf(word, DIMENSIONS));
    return dimension;
  });
  if (new Set(by).size < by.length) throw new InvalidArgumentError('Give each word once.');
  return [...(before ?? []), by];
};

interface StatsFlags extends FilterFlags {
  readonly by?: readonly By[];
  readonly limit?: number;
  readonly output?: Format;
  readonly failIfEmpty?: boolean;
}

export const statsCommand = (cli: Cli): Command => {
  const command = withFilters(
    withSettings(new Command('stats'), DATABASE_SETTINGS).description(
      'how much and which way it goes; with --since beside the period of the same length before',
    ),
  )
    .addOption(
      new Option(
        '--by <words>',
        'count by these together; given again, a further section; hours, days and ISO weeks in UTC (default: tipo, then agente)',
      )
        .choices(DIMENSIONS)
        .argParser(sections),
    )
    .option(
      '-n, --limit <count>',
      'at most so many rows a section, the greatest or the latest',
      wholeNumber(1, 1_000_000),
    )
    .option('--fail-if-empty', 'exit 6 when nothing matches')
    .addOption(formatOption());

  return command.action(async (flags: StatsFlags) => {
    await cli.ends(
      (async () => {
        const [{ openReader }, { gatherStats }, { showNoStats, showStats }, { sayNothing }] = await Promise.all([
          import('../../consumer/index.ts'),
          import('../stats/gather.ts'),
          import('../stats/show.ts'),
          import('../output/nothing.ts'),
        ]);
        const reader = openReader(configOf(command, cli).database());
        try {
          const wish = {
            filter: filterOf(flags),
            sections: flags.by ?? ([['tipo'], ['agente']] as const),
            nowMs: Date.now(),
            limit: flags.limit,
          };
          const stats = await gatherStats(reader, wish);
          const format = formatFor(flags.output, cli.screen);
          if (stats === undefined) {
            await showNoStats(wish.sections, cli.screen, format);
            await sayNothing(reader, cli.io);
          } else await showStats(stats, cli.screen, format);
          return (stats?.total ?? 0) === 0 && flags.failIfEmpty === true ? 6 : 0;
        } finally {
          await reader.close();
        }
      })(),
    );
  });
};
