/** The filters of every command that is about deviations: within one flag OR, between flags AND. */
import type { DeviationFilter } from '../consumer/index.ts';
import { TIPOS } from '../schemas/agent-deviation.ts';
import { type Command, Option } from './command.ts';
import { agentes, ids, pointInTime, tipos, traceIds } from './lists.ts';

export interface FilterFlags {
  readonly tipo?: readonly string[];
  readonly agente?: readonly string[];
  readonly session?: readonly string[];
  readonly project?: readonly string[];
  readonly event?: readonly string[];
  readonly evidence?: readonly string[];
  readonly trace?: readonly string[];
  readonly since?: number;
  readonly until?: number;
}

/** The flags, and the one rule between two of them. */
export const withFilters = (command: Command): Command =>
  command
    .addOption(
      new Option('--tipo <words>', 'kind of deviation; repeat or separate with commas').choices(TIPOS).argParser(tipos),
    )
    .option('--agente <slugs>', 'agent that deviated', agentes)
    .option('--session <ids>', 'work session', ids)
    .option('--project <ids>', 'project', ids)
    .option('--event <ids>', 'event id', ids)
    .option('--evidence <ids>', 'an event named as evidence', ids)
    .option('--trace <ids>', 'trace id, or a whole traceparent', traceIds)
    .option('--since <time>', 'from then on: 2h, yesterday, a date, RFC 3339, @epoch', pointInTime)
    .option('--until <time>', 'up to, not including, then', pointInTime)
    .hook('preAction', (_, self) => {
      const { since, until } = self.opts<FilterFlags>();
      if (since !== undefined && until !== undefined && since >= until) {
        self.error('error: --since must be before --until', { exitCode: 2 });
      }
    });

/** `exactOptionalPropertyTypes`: an absent flag is an absent key. */
export const filterOf = (flags: FilterFlags): DeviationFilter => ({
  ...(flags.tipo && { tipos: flags.tipo }),
  ...(flags.agente && { agentes: flags.agente }),
  ...(flags.session && { sessionIds: flags.session }),
  ...(flags.project && { projectIds: flags.project }),
  ...(flags.event && { eventIds: flags.event }),
  ...(flags.evidence && { evidenceIds: flags.evidence }),
  ...(flags.trace && { traceIds: flags.trace }),
  ...(flags.since !== undefined && { sinceMs: flags.since }),
  ...(flags.until !== undefined && { untilMs: flags.until }),
});
