import type { OutboxStatus } from '../../producer/index.ts';
import type { Cli } from '../command.ts';
import { Command, configOf, withSettings } from '../command.ts';
import { type Format, formatOption, print } from '../output/format.ts';

interface StatusRow {
  readonly name: string;
  readonly value: string;
}

const isoTime = (ms: number | null): string => (ms === null ? '-' : new Date(ms).toISOString());

/** One line a number, in the order in which a report goes through. */
const rowsOf = (status: OutboxStatus): readonly StatusRow[] => [
  { name: 'outbox.accepted', value: String(status.accepted) },
  ...Object.entries(status.refused).map(([code, count]) => ({ name: `outbox.refused.${code}`, value: String(count) })),
  { name: 'outbox.repeatedSame', value: String(status.repeatedSame) },
  { name: 'outbox.repeatedOther', value: String(status.repeatedOther) },
  { name: 'outbox.waiting', value: String(status.waiting) },
  { name: 'outbox.oldestWaiting', value: isoTime(status.oldestWaitingAtMs) },
  { name: 'outbox.relayed', value: String(status.relayed) },
  { name: 'outbox.retried', value: String(status.retried) },
  { name: 'outbox.setAside', value: String(status.setAside) },
  { name: 'outbox.discarded', value: String(status.discarded) },
  { name: 'outbox.bytes', value: String(status.bytes) },
  { name: 'outbox.relay', value: status.relay?.state ?? 'never started' },
  { name: 'outbox.relayCode', value: status.relay?.code ?? '-' },
  { name: 'outbox.relaySince', value: isoTime(status.relay?.sinceMs ?? null) },
];

export const statusCommand = (cli: Cli): Command => {
  const command = withSettings(new Command('status'), ['OUTBOX_FILE'])
    .description("the outbox's numbers: accepted, refused, waiting, relayed, set aside")
    .addOption(formatOption());
  return command.action(async (flags: { readonly output?: Format }) => {
    await cli.ends(
      (async () => {
        const { readOutboxStatus } = await import('../../producer/index.ts');
        await print(
          {
            records: rowsOf(readOutboxStatus(configOf(command, cli).outboxFile())),
            columns: [
              { heading: 'name', of: ({ name }) => name },
              { heading: 'value', of: ({ value }) => value },
            ],
            toJson: ({ name, value }) => ({ name, value }),
          },
          cli.screen,
          flags.output,
        );
        return 0;
      })(),
    );
  });
};
