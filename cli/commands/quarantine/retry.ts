import type { Retried } from '../../../consumer/index.ts';
import type { Cli } from '../../command.ts';
import { Command, configOf, withSettings } from '../../command.ts';
import { writeLine } from '../../io.ts';
import { type Column, type Format, formatOption, print } from '../../output/format.ts';
import { placeOf } from './columns.ts';
import { GONE, judgesOf, READING_SETTINGS, readingOf } from './reading.ts';
import {
  type EntryFlags,
  type GivenPlaces,
  isNarrowed,
  selectEntries,
  withEntryFilters,
  withPlaces,
} from './select.ts';

interface RetryFlags extends EntryFlags {
  readonly all?: boolean;
  readonly output?: Format;
}

const outcomeText = (retried: Retried): string => {
  switch (retried.kind) {
    case 'stored':
      return 'stored, resolved';
    case 'duplicate':
      return 'its event was stored before, resolved';
    case 'filtered':
      return 'not of the types of this consumer, resolved';
    case 'resolved-before':
      return 'resolved before';
    case 'no-entry':
      return 'there is no such entry any more';
    case 'wrong':
      return `still wrong: ${retried.reason}`;
    case 'deleted':
    case 'passed':
    case 'beyond':
    case 'another':
      return GONE[retried.kind];
    default:
      return retried satisfies never;
  }
};

const COLUMNS: readonly Column<Retried>[] = [
  { heading: 'place', of: ({ entry }) => placeOf(entry), isWhole: true },
  { heading: 'consumer', of: ({ entry }) => entry.consumer, spared: 2 },
  { heading: 'was', of: ({ entry }) => entry.reason, spared: 1 },
  { heading: 'outcome', of: outcomeText, isWhole: true },
];

const toJson = (retried: Retried): Readonly<Record<string, unknown>> => ({
  consumer: retried.entry.consumer,
  topic: retried.entry.topic,
  partition: retried.entry.partition,
  offset: Number(retried.entry.offset),
  was: retried.entry.reason,
  outcome: retried.kind,
  reason: retried.kind === 'wrong' ? retried.reason : null,
});

const IS_DONE: ReadonlySet<Retried['kind']> = new Set([
  'stored',
  'duplicate',
  'filtered',
  'resolved-before',
  'no-entry',
]);

export const retryCommand = (cli: Cli): Command => {
  const command = withEntryFilters(
    withPlaces(
      withSettings(new Command('retry'), READING_SETTINGS).description(
        'read the records again, beside a running consumer: what is right by now is stored and its entry resolved',
      ),
    ),
  )
    .option('--all', 'every open entry')
    .addOption(formatOption());
  return command.action(async (places: GivenPlaces, flags: RetryFlags) => {
    if (isNarrowed(flags, places) === (flags.all === true)) {
      command.error('error: say which: a place such as 3/41, a filter such as --reason, or --all', { exitCode: 2 });
    }
    await cli.endsItself(
      (async () => {
        const config = configOf(command, cli);
        const { openReader, openStore, retryQuarantined } = await import('../../../consumer/index.ts');
        const [judges, reading] = [await judgesOf(config), await readingOf(config, cli)];
        const reader = openReader(config.database());
        const entries = await selectEntries(reader, config.topic(), flags, places, ['open', 'discarded']).finally(
          () => void reader.close(),
        );
        const store = await openStore(config.database());
        const retried: Retried[] = [];
        try {
          for await (const one of retryQuarantined(reading, judges, store, entries)) retried.push(one);
        } finally {
          await store.close();
          // Also when it was stopped: what is done is done.
          await print({ records: retried, columns: COLUMNS, toJson }, cli.screen, flags.output);
        }
        const undone = retried.filter(({ kind }) => !IS_DONE.has(kind)).length;
        await writeLine(
          cli.io.stderr,
          `deviations: ${retried.length} of ${entries.length} read again, ${retried.length - undone} settled, ${undone} not`,
        );
        return undone > 0 ? 5 : 0;
      })(),
    );
  });
};
