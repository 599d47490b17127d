import type { Cli } from '../../command.ts';
import { Command, configOf, withSettings } from '../../command.ts';
import { writeLine } from '../../io.ts';
import { DATABASE_SETTINGS } from '../../settings.ts';
import {
  type EntryFlags,
  type GivenPlaces,
  isNarrowed,
  selectEntries,
  withEntryFilters,
  withPlaces,
} from './select.ts';

interface DiscardFlags extends EntryFlags {
  readonly all?: boolean;
}

export const discardCommand = (cli: Cli): Command => {
  const command = withEntryFilters(
    withPlaces(
      withSettings(new Command('discard'), [...DATABASE_SETTINGS, 'SESSION_EVENTS_TOPIC']).description(
        'give open entries up: they stay in the table, and count no more as open',
      ),
    ),
  ).option('--all', 'every open entry');
  return command.action(async (places: GivenPlaces, flags: DiscardFlags) => {
    if (isNarrowed(flags, places) === (flags.all === true)) {
      command.error('error: say which: a place such as 3/41, a filter such as --reason, or --all', { exitCode: 2 });
    }
    await cli.endsItself(
      (async () => {
        const config = configOf(command, cli);
        const { openReader, openStore } = await import('../../../consumer/index.ts');
        const reader = openReader(config.database());
        const entries = await selectEntries(reader, config.topic(), flags, places, ['open']).finally(
          () => void reader.close(),
        );
        const store = await openStore(config.database());
        let count = 0;
        try {
          for (const entry of entries) {
            if (cli.io.stop.aborted) break;
            if (await store.discard(entry)) count += 1;
          }
        } finally {
          await store.close();
          await writeLine(cli.io.stderr, `deviations: ${count} discarded`);
        }
        return 0;
      })(),
    );
  });
};
