import type { Cli } from '../../command.ts';
import { Command, configOf, withSettings } from '../../command.ts';
import { type Format, formatOption, print } from '../../output/format.ts';
import { DATABASE_SETTINGS } from '../../settings.ts';
import { ENTRY_COLUMNS, entryJson } from './columns.ts';
import { type EntryFlags, sayNoEntries, selectEntries, withEntryFilters } from './select.ts';

interface ListFlags extends EntryFlags {
  readonly output?: Format;
  readonly failIfEmpty?: boolean;
}

export const listCommand = (cli: Cli): Command => {
  const command = withEntryFilters(
    withSettings(new Command('list'), [...DATABASE_SETTINGS, 'SESSION_EVENTS_TOPIC']).description(
      'what the consumers could not take, the last seen first',
    ),
  )
    .option('--fail-if-empty', 'exit 6 when nothing matches')
    .addOption(formatOption());
  return command.action(async (flags: ListFlags) => {
    await cli.ends(
      (async () => {
        const config = configOf(command, cli);
        const { openReader } = await import('../../../consumer/index.ts');
        const reader = openReader(config.database());
        try {
          const records = await selectEntries(reader, config.topic(), flags, [], []);
          await print({ records, columns: ENTRY_COLUMNS, toJson: entryJson }, cli.screen, flags.output);
          if (records.length === 0) await sayNoEntries(cli.io);
          return records.length === 0 && flags.failIfEmpty === true ? 6 : 0;
        } finally {
          await reader.close();
        }
      })(),
    );
  });
};
