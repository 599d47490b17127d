/** How deviations are counted: by which words, in which buckets of time. All buckets are in UTC, weeks are ISO weeks. */

export const TIME_DIMENSIONS = ['hour', 'day', 'week'] as const;
export type TimeDimension = (typeof TIME_DIMENSIONS)[number];
export type Dimension = 'tipo' | 'agente' | 'session' | TimeDimension;

export interface Counted {
  /** One a dimension, in the order that was asked for: a word, an id, or a bucket's name. */
  readonly keys: readonly string[];
  readonly count: number;
  /** Different sessions among them. */
  readonly sessions: number;
  /** RFC 3339 UTC with milliseconds. */
  readonly firstAt: string;
  readonly lastAt: string;
}

/** `count` stretches of the same length, one after the other. */
export interface Slots {
  readonly fromMs: number;
  readonly slotMs: number;
  readonly count: number;
}

export interface SlotCount {
  readonly keys: readonly string[];
  /** 0 to `count` - 1. */
  readonly slot: number;
  readonly count: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Monday of the week that the day lies in. */
const mondayOf = (ms: number): number => {
  const day = Math.floor(ms / DAY_MS);
  // 1970-01-01 was a Thursday.
  return (day - ((((day + 3) % 7) + 7) % 7)) * DAY_MS;
};

/** The week belongs to the year that has its Thursday. */
const weekName = (ms: number): string => {
  const thursday = mondayOf(ms) + 3 * DAY_MS;
  const year = new Date(thursday).getUTCFullYear();
  const week = Math.floor((thursday - Date.UTC(year, 0, 1)) / (7 * DAY_MS)) + 1;
  return `${year}-W${String(week).padStart(2, '0')}`;
};

/** The name of the bucket that an instant lies in; the stores give the same by SQL. */
export const bucketOf = (dimension: TimeDimension, ms: number): string => {
  switch (dimension) {
    case 'hour':
      return `${new Date(ms).toISOString().slice(0, 13)}:00Z`;
    case 'day':
      return new Date(ms).toISOString().slice(0, 10);
    case 'week':
      return weekName(ms);
    default:
      return dimension satisfies never;
  }
};

const STEP_MS = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS } as const satisfies Record<TimeDimension, number>;

/** How many buckets lie between two instants, both included. */
export const bucketCount = (dimension: TimeDimension, fromMs: number, lastMs: number): number =>
  Math.floor((lastMs - fromMs) / STEP_MS[dimension]) + 1;

/** The names of every bucket from one instant's to another's, also of those that nothing lies in. */
export const bucketsBetween = (dimension: TimeDimension, fromMs: number, lastMs: number): readonly string[] => {
  const names: string[] = [];
  const last = bucketOf(dimension, lastMs);
  for (let ms = fromMs; ; ms += STEP_MS[dimension]) {
    const name = bucketOf(dimension, ms);
    names.push(name);
    if (name >= last) return names;
  }
};
