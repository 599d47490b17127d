import type { AsideRow } from '../../producer/index.ts';
import type { Cli } from '../command.ts';
import { Command, configOf, withSettings } from '../command.ts';
import { writeLine } from '../io.ts';
import { ids } from '../lists.ts';
import { type Column, type Format, formatOption, print } from '../output/format.ts';

const isoTime = (ms: number): string => new Date(ms).toISOString();

const COLUMNS: readonly Column<AsideRow>[] = [
  { heading: 'eventId', of: ({ eventId }) => eventId },
  { heading: 'code', of: ({ code }) => code },
  { heading: 'appendedAt', of: ({ appendedAtMs }) => isoTime(appendedAtMs) },
  { heading: 'setAsideAt', of: ({ asideAtMs }) => isoTime(asideAtMs) },
  { heading: 'bytes', of: ({ bytes }) => String(bytes) },
];

const listCommand = (cli: Cli): Command => {
  const command = withSettings(new Command('list'), ['OUTBOX_FILE'])
    .description('rows that the broker refuses for their own sake')
    .addOption(formatOption());
  return command.action(async (flags: { readonly output?: Format }) => {
    await cli.ends(
      (async () => {
        const { listAside } = await import('../../producer/index.ts');
        await print(
          {
            records: listAside(configOf(command, cli).outboxFile()),
            columns: COLUMNS,
            toJson: ({ eventId, code, appendedAtMs, asideAtMs, bytes }) => ({
              eventId,
              code,
              appendedAt: isoTime(appendedAtMs),
              setAsideAt: isoTime(asideAtMs),
              bytes,
            }),
          },
          cli.screen,
          flags.output,
        );
        return 0;
      })(),
    );
  });
};

const VERBS = {
  retry: { description: 'let the relay send set-aside rows again', done: 'will be sent again' },
  discard: { description: 'give set-aside rows up for good', done: 'given up' },
} as const;

const changeCommand = (verb: keyof typeof VERBS, cli: Cli): Command => {
  const command = withSettings(new Command(verb), ['OUTBOX_FILE'])
    .description(VERBS[verb].description)
    .option('--event <ids>', 'the rows of these events', ids)
    .option('--all', 'every row that is set aside');
  return command.action(async (flags: { readonly event?: readonly string[]; readonly all?: boolean }) => {
    if ((flags.event === undefined) === (flags.all !== true)) {
      command.error('error: give --event or --all', { exitCode: 2 });
    }
    await cli.ends(
      (async () => {
        const { discardAside, retryAside } = await import('../../producer/index.ts');
        const change = verb === 'retry' ? retryAside : discardAside;
        const count = change(configOf(command, cli).outboxFile(), flags.event ?? 'all');
        await writeLine(cli.io.stderr, `${count} row(s) ${VERBS[verb].done}`);
        return 0;
      })(),
    );
  });
};

export const outboxCommand = (cli: Cli): Command =>
  new Command('outbox')
    .description("the producer's outbox: list, retry, discard what was set aside")
    .addCommand(listCommand(cli))
    .addCommand(changeCommand('retry', cli))
    .addCommand(changeCommand('discard', cli));
