/**
 * The last rows of the table, then what arrives on the topic behind them, without a gap: rows and positions are of one
 * moment, and the topic is read from those positions on. Nothing is stored and nothing is committed by it.
 */
import { kafka, schemaId, type SchemaLookup } from '../../wire/index.ts';
import { type DeviationFilter, matchesFilter } from '../store/deviation-filter.ts';
import type { PositionRow, StoredDeviation, StoreReader } from '../store/store.ts';
import { pointTo } from '../stream/read-record.ts';
import type { Judge } from '../stream/judge.ts';
import type { Arrived } from './arrived.ts';
import { patiently } from './patience.ts';
import { type ArrivalNews, readArrivals } from './read-arrivals.ts';
import { createSeenEvents } from './seen-events.ts';

export interface TailParts extends kafka.OwnGroupSettings {
  readonly reader: Pick<StoreReader, 'latest'>;
  readonly lookup: SchemaLookup;
  /** The sink's own. */
  readonly judge: Judge;
  /** The catalogue, when there is one. */
  readonly agents: ReadonlySet<string> | undefined;
  readonly filter: DeviationFilter;
  /** At most so many rows; without following, so many of everything. */
  readonly limit: number;
  /** Goes on until the signal, else it ends at the present ends of the topic. */
  readonly follows: boolean;
  readonly signal: AbortSignal;
  readonly onNews: (news: ArrivalNews) => void;
}

type ArrivedShown = Exclude<Arrived, { readonly kind: 'other' }>;

export type Shown = { readonly kind: 'stored'; readonly deviation: StoredDeviation } | ArrivedShown;

/** What was read and is not shown. */
export interface NotShown {
  /** Of other types. */
  others: number;
  /** The same event again. */
  repeats: number;
  /** Not let through by the filters. */
  unmatched: number;
}

const endsOf = async ({ kafka: settings, topic, log }: TailParts): Promise<readonly kafka.PartitionEnds[]> => {
  const cluster = await kafka.openCluster(settings, log);
  try {
    return await cluster.ends(topic);
  } finally {
    await cluster.close();
  }
};

/** Where the table ends. A partition that the sink has not read has nothing in it. */
const startsOf = (
  ends: readonly kafka.PartitionEnds[],
  positions: readonly PositionRow[],
  onNews: TailParts['onNews'],
): ReadonlyMap<number, kafka.Offset> =>
  new Map(
    ends.map(({ partition, start, end }) => {
      const of = positions.find((row) => row.consumer === 'sink' && row.partition === partition);
      const position = of?.position ?? start;
      if (position > end) onNews({ what: 'anew', partition });
      else if (position < start) onNews({ what: 'gap', partition, from: position, to: start });
      return [partition, position > end || position < start ? start : position];
    }),
  );

/** By the topic's clock: partitions are read side by side. */
const latestOf = (arrived: readonly ArrivedShown[], limit: number): ArrivedShown[] =>
  lastOf(
    arrived.toSorted((a, b) => a.record.recordTimeMs - b.record.recordTimeMs),
    limit,
  );

const lastOf = <T>(list: readonly T[], limit: number): T[] => list.slice(Math.max(0, list.length - limit));

/** Records that are unreadable are always shown: nobody can tell which filter they would pass. */
export async function* tail(parts: TailParts, notShown: NotShown): AsyncGenerator<Shown, void, undefined> {
  const { topic, filter, limit, follows, signal, onNews } = parts;
  const { deviations, positions } = await parts.reader.latest(topic, filter, limit);
  const rows = deviations.toReversed().map((deviation): Shown => ({ kind: 'stored', deviation }));
  const seen = createSeenEvents();
  for (const { eventId, contentHash } of deviations) seen.add(eventId, contentHash);

  async function* arrivals(): AsyncGenerator<ArrivedShown, void, undefined> {
    const ends = await patiently(() => endsOf(parts), {
      signal,
      isEndless: false,
      onWait: (code) => onNews({ what: 'waits', code }),
    });
    if (ends === undefined) return;
    const from = startsOf(ends, positions, onNews);
    const until = follows ? {} : { until: new Map(ends.map(({ partition, end }) => [partition, end])) };
    const reading = { kafka: parts.kafka, topic, log: parts.log, from, ...until, signal };
    for await (const arrived of readArrivals({
      reading,
      lookup: parts.lookup,
      judge: parts.judge,
      agents: parts.agents,
      onNews,
    })) {
      if (arrived.kind === 'other') notShown.others += 1;
      if (arrived.kind === 'unreadable') yield arrived;
      if (arrived.kind !== 'deviation') continue;
      const { deviation, record, fromTopic } = arrived;
      const outcome = seen.add(deviation.eventId, deviation.contentHash);
      if (outcome === 'repeat') notShown.repeats += 1;
      else if (outcome === 'clash') {
        const pointer = pointTo(record, 'HASH_CLASH', schemaId(deviation.schemaId));
        yield { kind: 'unreadable', place: { topic, partition: deviation.partition }, pointer, record, fromTopic };
      } else if (matchesFilter(filter, deviation)) yield arrived;
      else notShown.unmatched += 1;
    }
  }

  if (follows) {
    yield* rows;
    yield* arrivals();
    return;
  }
  let arrived: ArrivedShown[] = [];
  for await (const shown of arrivals()) {
    arrived.push(shown);
    // Not one by one: sorting and cutting cost the list's length.
    if (arrived.length > 2 * limit + 1_000) arrived = latestOf(arrived, limit);
  }
  if (!signal.aborted) yield* lastOf([...rows, ...latestOf(arrived, limit)], limit);
}
