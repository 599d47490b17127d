import type { Cli } from '../command.ts';
import { Command, configOf, withSettings } from '../command.ts';
import { agentes, ids, pointInTime, tipos, wholeNumber } from '../lists.ts';
import { DEVIATION_COLUMNS, deviationJson } from '../output/deviations.ts';
import { type Format, formatOption, print } from '../output/format.ts';
import { DATABASE_SETTINGS } from '../settings.ts';

interface QueryFlags {
  readonly tipo?: readonly string[];
  readonly agente?: readonly string[];
  readonly session?: readonly string[];
  readonly project?: readonly string[];
  readonly event?: readonly string[];
  readonly evidence?: readonly string[];
  readonly since?: number;
  readonly until?: number;
  readonly limit?: number;
  readonly output?: Format;
  readonly failIfEmpty?: boolean;
}

/** `exactOptionalPropertyTypes`: an absent flag is an absent key. */
const filterOf = (flags: QueryFlags) => ({
  ...(flags.tipo && { tipos: flags.tipo }),
  ...(flags.agente && { agentes: flags.agente }),
  ...(flags.session && { sessionIds: flags.session }),
  ...(flags.project && { projectIds: flags.project }),
  ...(flags.event && { eventIds: flags.event }),
  ...(flags.evidence && { evidenceIds: flags.evidence }),
  ...(flags.since !== undefined && { sinceMs: flags.since }),
  ...(flags.until !== undefined && { untilMs: flags.until }),
  ...(flags.limit !== undefined && { limit: flags.limit }),
});

export const queryCommand = (cli: Cli): Command => {
  const command = withSettings(new Command('query'), DATABASE_SETTINGS)
    .description('find stored deviations, the newest first')
    .option('--tipo <words>', 'kind of deviation; repeat or separate with commas', tipos)
    .option('--agente <slugs>', 'agent that deviated', agentes)
    .option('--session <ids>', 'work session', ids)
    .option('--project <ids>', 'project', ids)
    .option('--event <ids>', 'event id', ids)
    .option('--evidence <ids>', 'an event named as evidence', ids)
    .option('--since <time>', 'from then on: 2h, yesterday, a date, RFC 3339, @epoch', pointInTime)
    .option('--until <time>', 'up to, not including, then', pointInTime)
    .option('-n, --limit <count>', 'at most so many', wholeNumber(1, 1_000_000))
    .option('--fail-if-empty', 'exit 6 when nothing matches')
    .addOption(formatOption());

  return command.action(async (flags: QueryFlags) => {
    if (flags.since !== undefined && flags.until !== undefined && flags.since >= flags.until) {
      command.error('error: --since must be before --until', { exitCode: 2 });
    }
    await cli.ends(
      (async () => {
        const { openReader } = await import('../../consumer/index.ts');
        const reader = openReader(configOf(command, cli).database());
        try {
          const records = await reader.deviations(filterOf(flags));
          await print({ records, columns: DEVIATION_COLUMNS, toJson: deviationJson }, cli.io, flags.output);
          return records.length === 0 && flags.failIfEmpty === true ? 6 : 0;
        } finally {
          await reader.close();
        }
      })(),
    );
  });
};
