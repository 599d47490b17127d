/** Values of flags: words, lists, closed lists, ids, durations and times. What does not fit is a usage error (exit 2). */
import { Argument, InvalidArgumentError, Option } from 'commander';
import { isTipo, TIPOS } from '../schemas/agent-deviation.ts';
import { isAgentId, parseUuid } from '../schemas/ids.ts';
import { oneOf } from './near-miss.ts';

type Collect = (given: string, before: readonly string[] | undefined) => readonly string[];

/** Within one flag OR: repeated, or separated by commas. */
const listOf =
  (parse: (item: string) => string): Collect =>
  (given, before = []) => [...before, ...given.split(',').map((item) => parse(item.trim()))];

export const tipos = listOf((item) => {
  if (isTipo(item)) return item;
  throw new InvalidArgumentError(oneOf(item, TIPOS));
});

export const agentes = listOf((item) => {
  if (isAgentId(item)) return item;
  throw new InvalidArgumentError('Give the slug of an agent: lower-case letters, digits, single hyphens.');
});

export const oneId = (given: string): string => {
  const id = parseUuid(given);
  if (id !== undefined) return id;
  throw new InvalidArgumentError('Give an id: 8-4-4-4-12 hexadecimal digits.');
};

export const ids = listOf(oneId);

const TRACE_ID = /^(?!0{32})[0-9a-f]{32}$/;
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** A trace id, or a whole traceparent as it stands in a header or a log. */
export const traceIds = listOf((item) => {
  const lowered = item.toLowerCase();
  const id = TRACEPARENT.exec(lowered)?.[1] ?? lowered;
  if (TRACE_ID.test(id)) return id;
  throw new InvalidArgumentError('Give a trace id of 32 hexadecimal digits, or a whole traceparent.');
});

export const wholeNumber =
  (least: number, most: number) =>
  (given: string): number => {
    const value = Number(given);
    if (/^\d+$/.test(given) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Give a whole number from ${least} to ${most}.`);
  };

const oneWord =
  (words: readonly string[]) =>
  (given: string): string => {
    if (words.includes(given)) return given;
    throw new InvalidArgumentError(oneOf(given, words));
  };

/** One word of a closed list; help and completion know the words. */
export const wordOption = (flag: string, help: string, words: readonly string[]): Option =>
  new Option(flag, help).choices(words).argParser(oneWord(words));

export const wordArgument = (name: string, help: string, words: readonly string[]): Argument =>
  new Argument(name, help).choices(words).argParser(oneWord(words));

/** Words of a closed list: repeated, or separated by commas. */
export const wordsOption = (flag: string, help: string, words: readonly string[]): Option =>
  new Option(flag, help).choices(words).argParser(
    listOf((item) => {
      if (words.includes(item)) return item;
      throw new InvalidArgumentError(oneOf(item, words));
    }),
  );

export const partitions = (given: string, before: readonly number[] = []): readonly number[] => [
  ...before,
  ...given.split(',').map((item) => {
    if (/^\d{1,5}$/.test(item.trim())) return Number(item);
    throw new InvalidArgumentError('Give the numbers of partitions, separated by commas.');
  }),
];

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const DURATION = /^(\d{1,9})(ms|s|m|h|d|w)$/;

const durationIn = (given: string): number | undefined => {
  const [, amount, unit] = DURATION.exec(given) ?? [];
  return amount === undefined ? undefined : Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS]; // the pattern names the units
};

/** `30s`, `5m`: milliseconds. */
export const duration = (given: string): number => {
  const ms = durationIn(given);
  if (ms !== undefined) return ms;
  throw new InvalidArgumentError('Give a duration such as 500ms, 30s, 5m, 2h or 1d.');
};

const startOfDay = (ms: number): number => new Date(ms).setHours(0, 0, 0, 0);

const wordIn = (given: string, nowMs: number): number | undefined => {
  switch (given) {
    case 'now':
      return nowMs;
    case 'today':
      return startOfDay(nowMs);
    case 'yesterday':
      return startOfDay(startOfDay(nowMs) - 1);
    default:
      return undefined;
  }
};

const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:\d\d)$/;
const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;

const dateIn = (given: string): number | undefined => {
  const [, year, month, day] = (DATE.exec(given) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const date = new Date(year, month - 1, day);
  return date.getMonth() === month - 1 && date.getDate() === day ? date.getTime() : undefined;
};

/** `Date.parse` takes 31 November for 1 December: the date is looked at by itself. */
const instantIn = (given: string): number | undefined => {
  if (!RFC_3339.test(given) || dateIn(given.slice(0, 10)) === undefined) return undefined;
  const ms = Date.parse(given);
  return Number.isNaN(ms) ? undefined : ms;
};

/** `2h` (ago), `yesterday`, a local date, RFC 3339, or `@` and Unix seconds: milliseconds since 1970-01-01 UTC. */
export const pointInTime = (given: string): number => {
  const nowMs = Date.now();
  const ago = durationIn(given);
  const epoch = /^@\d{1,11}$/.test(given) ? Number(given.slice(1)) * 1_000 : undefined;
  const ms =
    wordIn(given, nowMs) ?? (ago === undefined ? undefined : nowMs - ago) ?? epoch ?? dateIn(given) ?? instantIn(given);
  if (ms !== undefined && Math.abs(ms) <= 8.64e15) return ms;
  throw new InvalidArgumentError('Give 2h (ago), today, yesterday, 2026-11-30, 2026-11-30T12:00:00Z or @1796000000.');
};
