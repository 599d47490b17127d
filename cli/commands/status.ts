import type { Finding } from '../checkup/check.ts';
import type { Cli } from '../command.ts';
import { Command, configOf, withSettings } from '../command.ts';
import { type Format, formatFor, formatOption, print } from '../output/format.ts';
import { type CheckupFlags, groupsOf, summaryOf, withCheckupFlags } from '../checkup/flags.ts';
import { writeLine } from '../io.ts';
import { DATABASE_SETTINGS, KAFKA_SETTINGS } from '../settings.ts';

interface Fact {
  readonly name: string;
  readonly value: string | number | null;
}

/** For scripts: one fact a line, the parts' own in their order. */
const factsOf = (findings: readonly Finding[], exitCode: number): readonly Fact[] => [
  { name: 'healthy', value: exitCode === 0 ? 'yes' : 'no' },
  ...findings.flatMap(({ name, state, code, facts = {} }) => [
    { name: `${name}.state`, value: state },
    { name: `${name}.code`, value: code ?? null },
    ...Object.entries(facts).map(([fact, value]) => ({ name: fact, value })),
  ]),
];

const HELP = `
On a terminal a line a part; in a pipe, and with -o, a fact a line, whose names stay: healthy, PART.state, PART.code,
outbox.waiting, sink.lagRecords, sink.lagSeconds and so on. A fact that is not known has no value.

lagSeconds is how long the oldest record that the consumer has not stored yet has been on the topic: 0 when there is none,
whether or not the consumer runs.

Exit codes: 0 healthy; 3 KAFKA_BROKERS or another setting is missing or wrong; 4 something is away, a consumer does not
run, or the outbox does not drain; 5 a position is lost, quarantine is open, or rows of the outbox are set aside. The first
of 3, 4, 5 that applies.`;

export const statusCommand = (cli: Cli): Command => {
  const command = withCheckupFlags(
    withSettings(new Command('status'), [
      ...KAFKA_SETTINGS,
      ...DATABASE_SETTINGS,
      'SESSION_EVENTS_TOPIC',
      'OUTBOX_FILE',
    ]),
  )
    .description('is the pipeline healthy now: outbox, topic, both consumers and their lag, quarantine, last event')
    .addOption(formatOption())
    .addHelpText('after', HELP);
  return command.action(async (flags: CheckupFlags & { readonly output?: Format }) => {
    await cli.ends(
      (async () => {
        const config = configOf(command, cli);
        const [{ openSite }, { exitCodeOf, runChecks }, { PARTS }, { renderFindings }] = await Promise.all([
          import('../checkup/site.ts'),
          import('../checkup/run.ts'),
          import('../status/parts.ts'),
          import('../output/findings.ts'),
        ]);
        const site = openSite(config, { groups: groupsOf(flags), limitMs: flags.within });
        const findings = await runChecks(PARTS, site);
        void site.close();
        const exitCode = exitCodeOf(findings);
        const format = formatFor(flags.output, cli.screen);
        if (format === 'table') {
          for (const line of renderFindings(findings, cli.screen)) await cli.screen.print(line);
          await writeLine(cli.io.stderr, summaryOf(findings));
          return exitCode;
        }
        await print(
          {
            records: factsOf(findings, exitCode),
            columns: [
              { heading: 'name', of: ({ name }) => name },
              { heading: 'value', of: ({ value }) => (value === null ? '' : String(value)) },
            ],
            toJson: ({ name, value }) => ({ name, value }),
          },
          cli.screen,
          format,
        );
        return exitCode;
      })(),
    );
  });
};
