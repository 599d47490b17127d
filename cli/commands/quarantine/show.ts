import type { EventFields, FromTopic, Judge, QuarantinedRecord, StoreReader } from '../../../consumer/index.ts';
import type { Cli } from '../../command.ts';
import { Command, configOf, withSettings } from '../../command.ts';
import { type Column, type Format, formatFor, formatOption, print } from '../../output/format.ts';
import { ENTRY_COLUMNS, entryJson } from './columns.ts';
import { GONE, judgesOf, READING_SETTINGS, readingOf } from './reading.ts';
import type { RawFile } from '../../output/raw-file.ts';
import {
  type EntryFlags,
  type GivenPlaces,
  isNarrowed,
  sayNoEntries,
  selectEntries,
  withEntryFilters,
  withPlaces,
} from './select.ts';

interface ShowFlags extends EntryFlags {
  readonly raw?: string;
  readonly output?: Format;
}

/** An entry, and what its record is by now. */
interface ShownEntry {
  readonly entry: QuarantinedRecord['entry'];
  /** `there`, or how it is gone. */
  readonly found: QuarantinedRecord['kind'];
  /** Undefined when it is gone; `right`, or the reason that it is wrong for. */
  readonly now: string | undefined;
  /** The same event, by its hash. */
  readonly isStored: boolean;
  readonly fromTopic: FromTopic | undefined;
  readonly event: EventFields | undefined;
}

const nowText = ({ entry, found, now, isStored }: ShownEntry): string => {
  if (found !== 'there') return GONE[found];
  if (now !== 'right') return `wrong: ${now}`;
  if (isStored) return 'right, and its event is stored';
  return entry.state === 'resolved' ? 'right' : 'right by now: retry stores it';
};

const pairs = (fields: Readonly<Record<string, unknown>> | undefined): string =>
  Object.entries(fields ?? {})
    .map(([name, value]) => `${name}=${Array.isArray(value) ? value.join(' ') : String(value)}`)
    .join(', ');

const COLUMNS: readonly Column<ShownEntry>[] = [
  ...ENTRY_COLUMNS.map(
    ({ heading, of }): Column<ShownEntry> => ({ heading, of: ({ entry }) => of(entry), isWhole: true }),
  ),
  { heading: 'now', of: nowText, isWhole: true },
  { heading: 'key', of: ({ fromTopic }) => fromTopic?.key ?? '-', isWhole: true },
  { heading: 'headers', of: ({ fromTopic }) => pairs(fromTopic?.headers), isWhole: true },
  { heading: 'otherHeaders', of: ({ fromTopic }) => String(fromTopic?.otherHeaders ?? '-'), isWhole: true },
  { heading: 'event', of: ({ event }) => pairs(event), isWhole: true },
];

const toJson = ({ entry, found, now, fromTopic, event }: ShownEntry): Readonly<Record<string, unknown>> => ({
  ...entryJson(entry),
  record: {
    found,
    now: now ?? null,
    key: fromTopic?.key ?? null,
    event: event ?? null,
  },
  _headers: fromTopic?.headers ?? null,
  _otherHeaders: fromTopic?.otherHeaders ?? null,
});

/** On a terminal each field has a line of its own. */
const blockColumns = ({ fromTopic, event }: ShownEntry): readonly Column<ShownEntry>[] => [
  ...COLUMNS.filter(({ heading }) => heading !== 'headers' && heading !== 'event'),
  ...Object.entries({ ...fromTopic?.headers, ...event }).map(
    ([heading, value]): Column<ShownEntry> => ({
      heading,
      of: () => (Array.isArray(value) ? value.join(' ') : String(value)),
      isWhole: true,
    }),
  ),
];

const printShown = async (
  shown: readonly ShownEntry[],
  screen: Cli['screen'],
  asked: Format | undefined,
): Promise<void> => {
  const format = formatFor(asked, screen);
  if (format !== 'table') {
    await print({ records: shown, columns: COLUMNS, toJson }, screen, format);
    return;
  }
  for (const [at, one] of shown.entries()) {
    if (at > 0) await screen.print('');
    await print({ records: [one], columns: blockColumns(one), toJson }, screen, format);
  }
};

/** The judge knows the record alone: whether its id is taken, and by what, the table says. */
const judgedNow = async (
  judged: ReturnType<Judge['judge']>,
  reader: Pick<StoreReader, 'deviations'>,
): Promise<Pick<ShownEntry, 'now' | 'isStored'>> => {
  if (judged.kind === 'quarantined') return { now: judged.pointer.reason, isStored: false };
  if (judged.kind !== 'row') return { now: 'right', isStored: false };
  const { event, contentHash } = judged.row;
  const [stored] = await reader.deviations({ eventIds: [event.eventId] });
  const isStored = stored?.contentHash === contentHash;
  return { now: stored === undefined || isStored ? 'right' : 'HASH_CLASH', isStored };
};

export const showCommand = (cli: Cli): Command => {
  const command = withEntryFilters(
    withPlaces(
      withSettings(new Command('show'), READING_SETTINGS).description(
        'entries with their records, read again from the topic: what they are by now',
      ),
    ),
  )
    .option('--raw <file>', 'write the records there, whole: JSON lines with base64')
    .addOption(formatOption());
  return command.action(async (places: GivenPlaces, flags: ShowFlags) => {
    if (!isNarrowed(flags, places)) {
      command.error('error: say which: a place such as 3/41, or a filter', { exitCode: 2 });
    }
    await cli.endsItself(
      (async () => {
        const config = configOf(command, cli);
        const { eventFields, fromTopic, openReader, quarantinedRecords } = await import('../../../consumer/index.ts');
        const reader = openReader(config.database());
        const shown: ShownEntry[] = [];
        let raw: RawFile | undefined;
        try {
          const states = ['open', 'resolved', 'discarded'] as const;
          const entries = await selectEntries(reader, config.topic(), flags, places, states);
          if (entries.length === 0) await sayNoEntries(cli.io);
          const agents = config.agentsIfAny();
          const [judges, reading] = [await judgesOf(config), await readingOf(config, cli)];
          if (flags.raw !== undefined) raw = (await import('../../output/raw-file.ts')).openRawFile(flags.raw);
          for await (const read of quarantinedRecords(reading, entries)) {
            const { entry } = read;
            if (read.kind !== 'there') {
              shown.push({
                entry,
                found: read.kind,
                now: undefined,
                isStored: false,
                fromTopic: undefined,
                event: undefined,
              });
              continue;
            }
            const { record, contracts } = read;
            raw?.write(entry, record);
            const judged = await judgedNow(judges[entry.consumer].judge(record, contracts), reader);
            shown.push({
              entry,
              found: 'there',
              ...judged,
              fromTopic: fromTopic(record, agents),
              event: eventFields(record, contracts, agents),
            });
          }
        } finally {
          raw?.close();
          await reader.close();
        }
        await printShown(shown, cli.screen, flags.output);
        return shown.some(({ now }) => now !== 'right') ? 5 : 0;
      })(),
    );
  });
};
