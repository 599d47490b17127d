import { InvalidArgumentError } from 'commander';
import { RN_PATTERN } from '../../../schemas/govern/rn.ts';
import { type Cli, Command } from '../../command.ts';
import { writeLine } from '../../io.ts';

/** A slip in it is a usage error. */
const rule = (given: string): string => {
  if (RN_PATTERN.test(given)) return given;
  throw new InvalidArgumentError('Give the rule that orders the change, such as RN-717.');
};

export const lockCommand = (cli: Cli): Command =>
  new Command('lock')
    .description('record changed schemas in the lock file and the ledger; the only writer of both')
    .requiredOption('--rn <rule>', 'the rule that orders the change, such as RN-717', rule)
    .action(async (flags: { readonly rn: string }) => {
      await cli.ends(
        (async () => {
          const [schemas, { checkedContract }] = await Promise.all([
            import('../../../schemas/index.ts'),
            import('./texts.ts'),
          ]);
          const { contract, findings } = checkedContract();
          const { texts, governance } = contract;
          const linted = schemas.lintSchemas(texts);
          if (linted.length > 0) {
            await writeLine(cli.io.stderr, `nothing locked: ${linted.length} finding(s); see deviations schema lint`);
            return 5;
          }
          // A new entry upon a chain that was altered would stand for it.
          if (findings.some(({ rule }) => rule !== 'text-not-locked')) {
            await writeLine(cli.io.stderr, 'nothing locked: lock or ledger is not whole; see deviations schema check');
            return 5;
          }
          const due = schemas.dueEntries(texts, governance, flags.rn);
          if (due.length > 0) schemas.writeGovernance(schemas.lockTexts(texts, governance, flags.rn));
          for (const { type, what, level } of due) {
            await writeLine(cli.io.stderr, `locked ${type} by ${flags.rn}, level after ${level}`);
            for (const change of what) await writeLine(cli.io.stderr, `  ${change}`);
          }
          if (due.length === 0) await writeLine(cli.io.stderr, 'nothing to lock');
          return 0;
        })(),
      );
    });
