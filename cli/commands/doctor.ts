import type { Finding } from '../checkup/check.ts';
import { type CheckupFlags, groupsOf, summaryOf, withCheckupFlags } from '../checkup/flags.ts';
import type { Cli } from '../command.ts';
import { Command, configOf, withSettings } from '../command.ts';
import { writeLine } from '../io.ts';
import { type Column, type Format, formatFor, formatOption, print } from '../output/format.ts';
import { SETTING_NAMES } from '../settings.ts';

const COLUMNS: readonly Column<Finding>[] = [
  { heading: 'check', of: ({ name }) => name },
  { heading: 'state', of: ({ state }) => state },
  { heading: 'says', of: ({ says }) => says },
  { heading: 'next', of: ({ next }) => next ?? '' },
  { heading: 'code', of: ({ code }) => code ?? '' },
];

const HELP = `
ok, warn, FAIL or skip for each check, and what to do about it. It only looks: nothing is written, made or joined. A check
whose prerequisite failed is skipped and names it; so is one whose setting is absent, KAFKA_BROKERS excepted.

Exit codes: 0 no FAIL; else the first that applies of 3 (configuration, contract), 4 (something is away, refuses, is not
migrated, or does not run), 5 (a data problem).`;

export const doctorCommand = (cli: Cli): Command => {
  const command = withCheckupFlags(withSettings(new Command('doctor'), SETTING_NAMES))
    .description('why does it not work: looks at everything from settings to positions, and says what to do')
    .addOption(formatOption())
    .addHelpText('after', HELP);
  return command.action(async (flags: CheckupFlags & { readonly output?: Format }) => {
    await cli.ends(
      (async () => {
        const [{ openSite }, { exitCodeOf, runChecks }, { CHECKS }, { renderFindings }] = await Promise.all([
          import('../checkup/site.ts'),
          import('../checkup/run.ts'),
          import('../doctor/checks.ts'),
          import('../output/findings.ts'),
        ]);
        const site = openSite(configOf(command, cli), { groups: groupsOf(flags), limitMs: flags.within });
        const findings = await runChecks(CHECKS, site, { settingsAreCheckedBy: 'configuration' });
        void site.close();
        const format = formatFor(flags.output, cli.screen);
        if (format === 'table') {
          for (const line of renderFindings(findings, cli.screen)) await cli.screen.print(line);
        } else {
          await print(
            {
              records: findings,
              columns: COLUMNS,
              toJson: ({ name, state, says, next, code }) => ({
                check: name,
                state,
                says,
                next: next ?? null,
                code: code ?? null,
              }),
            },
            cli.screen,
            format,
          );
        }
        await writeLine(cli.io.stderr, summaryOf(findings));
        return exitCodeOf(findings);
      })(),
    );
  });
};
