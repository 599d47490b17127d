/** What `stats` tells, from the answers of the store: how much in the period, how much in the one before, which way it goes. */
import {
  bucketCount,
  bucketsBetween,
  type Counted,
  type DeviationFilter,
  type Dimension,
  type StoreReader,
  TIME_DIMENSIONS,
  type TimeDimension,
} from '../../consumer/index.ts';

/** One section: its rows are the combinations of these. */
export type By = readonly Dimension[];

export interface StatsRow {
  readonly by: By;
  readonly keys: readonly string[];
  readonly count: number;
  readonly sessions: number;
  /** In the period before: the one of the same length, or the bucket before. Undefined when there is none. */
  readonly before: number | undefined;
  /** Over the period, in stretches of the same length; undefined where it would tell nothing. */
  readonly trend: readonly number[] | undefined;
  readonly lastAt: string | undefined;
}

export interface Period {
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
}

export interface Stats {
  readonly period: Period;
  readonly total: number;
  readonly sessions: number;
  /** Undefined when the period has no beginning of its own, so that none of its length lies before it. */
  readonly before: number | undefined;
  readonly sections: readonly { readonly by: By; readonly rows: readonly StatsRow[] }[];
}

/** Of every trend: enough to see a shape, and half of it fits a narrow screen. */
const TREND_SLOTS = 24;
/** A stray time must not make a listing of a million empty hours. */
const MAX_BUCKETS = 10_000;

export const isTime = (dimension: Dimension): dimension is TimeDimension =>
  (TIME_DIMENSIONS as readonly Dimension[]).includes(dimension);

const nameOf = (keys: readonly string[]): string => keys.join(' ');

const byKeys = <R extends { readonly keys: readonly string[] }>(rows: readonly R[]): ReadonlyMap<string, R> =>
  new Map(rows.map((row) => [nameOf(row.keys), row]));

const compareKeys = (a: StatsRow, b: StatsRow): number => (nameOf(a.keys) < nameOf(b.keys) ? -1 : 1);

/** What is of no help is not asked for: a trend of a bucket of time, or of one session among thousands. */
const hasTrend = (by: By): boolean => by.every((dimension) => dimension === 'tipo' || dimension === 'agente');

export interface StatsWish {
  readonly filter: DeviationFilter;
  readonly sections: readonly By[];
  readonly nowMs: number;
  /** At most so many rows a section: the greatest, of times the latest. */
  readonly limit: number | undefined;
}

const countOf = async (reader: StoreReader, filter: DeviationFilter): Promise<Counted | undefined> =>
  (await reader.counts(filter, []))[0];

/** From the filter's own times; else from the first deviation, and up to now or the last one, whichever is later. */
const periodOf = ({ filter, nowMs }: StatsWish, counted: Counted | undefined): Period => ({
  fromMs: filter.sinceMs ?? (counted === undefined ? nowMs : Date.parse(counted.firstAt)),
  toMs: filter.untilMs ?? Math.max(nowMs, counted === undefined ? nowMs : Date.parse(counted.lastAt) + 1),
});

const NOTHING_OVER_TIME: readonly number[] = Array.from({ length: TREND_SLOTS }, () => 0);

const trendsOf = async (
  reader: StoreReader,
  filter: DeviationFilter,
  by: By,
  { fromMs, toMs }: Period,
): Promise<ReadonlyMap<string, readonly number[]>> => {
  const slotMs = Math.max(1, Math.ceil((toMs - fromMs) / TREND_SLOTS));
  const trends = new Map<string, number[]>();
  for (const { keys, slot, count } of await reader.slotCounts(filter, by, { fromMs, slotMs, count: TREND_SLOTS })) {
    const name = nameOf(keys);
    const trend = trends.get(name) ?? [...NOTHING_OVER_TIME];
    trend[slot] = count;
    trends.set(name, trend);
  }
  return trends;
};

/** Words and sessions, the most first; also what was there before and is not any more. */
const wordRows = async (
  reader: StoreReader,
  by: By,
  period: Period,
  within: DeviationFilter,
  earlierOn: DeviationFilter | undefined,
): Promise<readonly StatsRow[]> => {
  const before = earlierOn === undefined ? undefined : byKeys(await reader.counts(earlierOn, by));
  const now = byKeys(await reader.counts(within, by));
  const trends = hasTrend(by) ? await trendsOf(reader, within, by, period) : undefined;
  const names = new Set([...now.keys(), ...(before?.keys() ?? [])]);
  return [...names]
    .map((name): StatsRow => {
      const [counted, earlier] = [now.get(name), before?.get(name)];
      return {
        by,
        keys: counted?.keys ?? earlier?.keys ?? [],
        count: counted?.count ?? 0,
        sessions: counted?.sessions ?? 0,
        before: before === undefined ? undefined : (earlier?.count ?? 0),
        trend: trends === undefined ? undefined : (trends.get(name) ?? NOTHING_OVER_TIME),
        lastAt: counted?.lastAt,
      };
    })
    .sort((a, b) => b.count - a.count || compareKeys(a, b));
};

/** Buckets in their order, the empty ones too when time is all that is asked for. */
const timeRows = async (
  reader: StoreReader,
  by: By,
  period: Period,
  within: DeviationFilter,
): Promise<readonly StatsRow[]> => {
  const counted = await reader.counts(within, by);
  const rows = counted
    .map(
      ({ keys, count, sessions, lastAt }): StatsRow => ({
        by,
        keys,
        count,
        sessions,
        before: undefined,
        trend: undefined,
        lastAt,
      }),
    )
    .sort(compareKeys);
  const [only, ...further] = by;
  if (only === undefined || further.length > 0 || !isTime(only)) return rows;
  const lastMs = period.toMs - 1;
  if (bucketCount(only, period.fromMs, lastMs) > MAX_BUCKETS) return rows;
  const known = byKeys(rows);
  const empty = { by, count: 0, sessions: 0, trend: undefined, lastAt: undefined };
  return bucketsBetween(only, period.fromMs, lastMs)
    .map((name) => known.get(name) ?? { ...empty, keys: [name], before: undefined })
    .map((row, at, all) => ({ ...row, before: at === 0 ? undefined : (all[at - 1]?.count ?? 0) }));
};

/** Undefined when nothing matches, now or in the period before. */
export const gatherStats = async (reader: StoreReader, wish: StatsWish): Promise<Stats | undefined> => {
  const { filter, limit } = wish;
  const counted = await countOf(reader, filter);
  const period = periodOf(wish, counted);
  const { fromMs, toMs } = period;
  const within = { ...filter, sinceMs: fromMs, untilMs: toMs };
  // Nothing says how long the period is when it begins with the first deviation.
  const earlierOn =
    filter.sinceMs === undefined ? undefined : { ...filter, sinceMs: fromMs - (toMs - fromMs), untilMs: fromMs };
  const before = earlierOn === undefined ? undefined : ((await countOf(reader, earlierOn))?.count ?? 0);
  if (counted === undefined && (before ?? 0) === 0) return undefined;

  const sections: { readonly by: By; readonly rows: readonly StatsRow[] }[] = [];
  for (const by of wish.sections) {
    if (by.some(isTime)) {
      const rows = await timeRows(reader, by, period, within);
      sections.push({ by, rows: limit === undefined ? rows : rows.slice(-limit) });
    } else {
      const rows = await wordRows(reader, by, period, within, earlierOn);
      sections.push({ by, rows: rows.slice(0, limit) });
    }
  }
  return { period, total: counted?.count ?? 0, sessions: counted?.sessions ?? 0, before, sections };
};
