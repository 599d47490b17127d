/** Which entries are meant: by their places, or by filters that are alike in all four commands. */
import type { QuarantineEntry, QuarantineFilter, StoreReader } from '../../../consumer/index.ts';
import type { kafka, QuarantineState } from '../../../wire/index.ts';
import { CONSUMERS, type Consumer } from '../../../wire/names.ts';
import { QUARANTINE_REASONS, QUARANTINE_STATES } from '../../../wire/reasons.ts';
import { InvalidArgumentError } from 'commander';
import type { Command } from '../../command.ts';
import { type Io, writeLine } from '../../io.ts';
import { partitions, pointInTime, wholeNumber, wordsOption } from '../../lists.ts';

export interface EntryFlags {
  readonly consumer?: readonly Consumer[];
  readonly reason?: readonly string[];
  readonly partition?: readonly number[];
  readonly state?: readonly QuarantineState[];
  readonly since?: number;
  readonly limit: number;
}

interface GivenPlace {
  readonly partition: number;
  readonly offset: bigint;
}

export type GivenPlaces = readonly GivenPlace[];

const MAX_ENTRIES = 100_000;

/** `3/41`, as a list prints it; a topic before it is read over. */
const place = (given: string, before: GivenPlaces = []): GivenPlaces => {
  const [, partition, offset] = /^(\d{1,5})\/(\d{1,18})$/.exec(given) ?? [];
  if (partition === undefined || offset === undefined) {
    throw new InvalidArgumentError('Give places as partition/offset, such as 3/41.');
  }
  return [...before, { partition: Number(partition), offset: BigInt(offset) }];
};

export const withPlaces = (command: Command): Command =>
  command.argument('[places...]', 'entries by partition/offset, such as 3/41', place);

export const withEntryFilters = (command: Command): Command =>
  command
    .addOption(wordsOption('--reason <words>', 'why it could not be taken', QUARANTINE_REASONS))
    .option('--partition <numbers>', 'of these partitions', partitions)
    .addOption(wordsOption('--consumer <words>', 'who could not take it', CONSUMERS))
    .addOption(wordsOption('--state <words>', 'else open ones alone', QUARANTINE_STATES))
    .option('--since <time>', 'last seen then or later: 2h, yesterday, a date, RFC 3339, @epoch', pointInTime)
    .option('-n, --limit <count>', 'at most so many', wholeNumber(1, MAX_ENTRIES), MAX_ENTRIES);

/** Whether anything says which: changing all of them is to be said. */
export const isNarrowed = (flags: EntryFlags, places: GivenPlaces): boolean =>
  places.length > 0 || [flags.reason, flags.partition, flags.consumer, flags.since].some((one) => one !== undefined);

const filterOf = (flags: EntryFlags, states: readonly QuarantineState[]): QuarantineFilter => ({
  states: flags.state ?? states,
  ...(flags.reason && { reasons: flags.reason }),
  ...(flags.partition && { partitions: flags.partition }),
  ...(flags.consumer && { consumers: flags.consumer }),
  ...(flags.since !== undefined && { sinceMs: flags.since }),
  limit: flags.limit,
});

/** Open ones unless told otherwise; `statesAtPlaces` are those of an entry that is named by its place. */
export const selectEntries = async (
  reader: Pick<StoreReader, 'quarantine'>,
  topic: string,
  flags: EntryFlags,
  places: GivenPlaces,
  statesAtPlaces: readonly QuarantineState[],
): Promise<readonly QuarantineEntry[]> => {
  if (places.length === 0) return reader.quarantine(topic, filterOf(flags, ['open']));
  const found: QuarantineEntry[] = [];
  for (const { partition, offset } of places) {
    const at = {
      partitions: [partition],
      fromOffset: offset as kafka.Offset, // what is asked for: nothing is calculated with it
      toOffset: (offset + 1n) as kafka.Offset,
    };
    found.push(...(await reader.quarantine(topic, { ...filterOf(flags, statesAtPlaces), ...at })));
  }
  return found;
};

/** On stderr, for whoever wonders. */
export const sayNoEntries = (io: Io): Promise<void> =>
  writeLine(io.stderr, 'no such entry; all there are: deviations quarantine list --state open,resolved,discarded');
