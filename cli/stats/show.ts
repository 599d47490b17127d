/** The numbers as sections of bars for people, and as one list for programs. */
import type { Dimension } from '../../consumer/index.ts';
import { bar } from '../output/bars.ts';
import { briefId, briefTipo } from '../output/brief.ts';
import { changeBrush, changeText } from '../output/change.ts';
import { type Column, type Format, print } from '../output/format.ts';
import type { Screen } from '../output/screen.ts';
import { halved, sparkline } from '../output/sparkline.ts';
import { wrappedWords } from '../output/text-width.ts';
import { type By, isTime, type Period, type Stats, type StatsRow } from './gather.ts';

const BAR = { whole: 30, brief: 12 } as const;

const isoTime = (ms: number): string => new Date(ms).toISOString();

const briefKey = (dimension: Dimension, key: string): string => {
  if (dimension === 'session') return briefId(key);
  return dimension === 'tipo' ? briefTipo(key) : key;
};

const keyOf =
  (dimension: Dimension) =>
  ({ by, keys }: StatsRow): string =>
    keys[by.indexOf(dimension)] ?? '';

const numberOf = (value: number | undefined): string => (value === undefined ? '' : String(value));

const tableColumns = (by: By, rows: readonly StatsRow[], { glyphs }: Screen): readonly Column<StatsRow>[] => {
  const most = Math.max(1, ...rows.map(({ count }) => count));
  const hasBefore = rows.some(({ before }) => before !== undefined);
  const hasTrend = rows.some(({ trend }) => trend !== undefined);
  return [
    ...by.map(
      (dimension): Column<StatsRow> => ({
        heading: dimension,
        of: keyOf(dimension),
        brief: (row) => briefKey(dimension, keyOf(dimension)(row)),
      }),
    ),
    { heading: 'count', of: ({ count }) => String(count), isNumber: true, isWhole: true },
    {
      heading: 'bar',
      of: ({ count }) => bar(count, most, BAR.whole, glyphs),
      brief: ({ count }) => bar(count, most, BAR.brief, glyphs),
      isWhole: true,
      spared: 3,
    },
    ...(hasTrend
      ? [
          {
            heading: 'trend',
            of: ({ trend = [] }: StatsRow) => sparkline(trend, glyphs),
            brief: ({ trend = [] }: StatsRow) => sparkline(halved(trend), glyphs),
            isWhole: true,
            spared: 1,
          },
        ]
      : []),
    ...(hasBefore
      ? [
          {
            heading: 'before',
            of: ({ before }: StatsRow) => numberOf(before),
            isNumber: true,
            isWhole: true,
            spared: 4,
          },
          {
            heading: 'change',
            of: ({ count, before }: StatsRow) => changeText(count, before, glyphs),
            brush: ({ count, before }: StatsRow) => changeBrush(count, before),
            isWhole: true,
            spared: 2,
          },
        ]
      : []),
    { heading: 'sessions', of: ({ sessions }) => String(sessions), isNumber: true, isWhole: true, spared: 5 },
  ];
};

/** The keys of every section side by side: one that a section does not have is empty in its rows. */
const plainColumns = (sections: readonly By[]): readonly Column<StatsRow>[] => [
  ...[...new Set(sections.flat())].map(
    (dimension): Column<StatsRow> => ({
      heading: dimension,
      of: keyOf(dimension),
    }),
  ),
  { heading: 'count', of: ({ count }) => String(count) },
  { heading: 'before', of: ({ before }) => numberOf(before) },
  { heading: 'sessions', of: ({ sessions }) => String(sessions) },
  { heading: 'lastAt', of: ({ lastAt }) => lastAt ?? '' },
];

const jsonOf =
  ({ fromMs, toMs }: Period) =>
  ({ by, keys, count, sessions, before, trend, lastAt }: StatsRow): Readonly<Record<string, unknown>> => ({
    by,
    ...Object.fromEntries(by.map((dimension, at) => [dimension, keys[at]])),
    count,
    before: before ?? null,
    change: before === undefined ? null : count - before,
    sessions,
    trend: trend ?? null,
    lastAt: lastAt ?? null,
    _period: { since: isoTime(fromMs), until: isoTime(toMs) },
  });

const HOUR_MS = 3_600_000;

/** `13 d`, `2 h`: what a person calls the length of a period. */
const lengthOf = ({ fromMs, toMs }: Period): string => {
  const hours = Math.max(1, Math.round((toMs - fromMs) / HOUR_MS));
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} d`;
};

const headline = ({ period, total, sessions, before }: Stats, { glyphs }: Screen): string => {
  const compared =
    before === undefined
      ? '; --since compares it with the time before'
      : `; ${before} in the ${lengthOf(period)} before (${changeText(total, before, glyphs)})`;
  return (
    `${total} deviation${total === 1 ? '' : 's'} in ${sessions} session${sessions === 1 ? '' : 's'}, ` +
    `${lengthOf(period)} from ${isoTime(period.fromMs).slice(0, 16)}Z to ${isoTime(period.toMs).slice(0, 16)}Z${compared}`
  );
};

/** A table of nothing would be headings alone; the other forms are what they are for programs. */
export const showNoStats = async (sections: readonly By[], screen: Screen, format: Format): Promise<void> => {
  if (format === 'table') return;
  await print({ records: [], columns: plainColumns(sections), toJson: () => ({}) }, screen, format);
};

export const showStats = async (stats: Stats, screen: Screen, format: Format): Promise<void> => {
  const { sections, period } = stats;
  if (format !== 'table') {
    const records = sections.flatMap(({ rows }) => rows);
    const columns = plainColumns(sections.map(({ by }) => by));
    await print({ records, columns, toJson: jsonOf(period) }, screen, format);
    return;
  }
  for (const line of wrappedWords(headline(stats, screen), screen.width)) await screen.print(line);
  for (const { by, rows } of sections) {
    await screen.print('');
    const columns = tableColumns(by, rows, screen);
    await print({ records: rows, columns, toJson: jsonOf(period) }, screen, 'table');
  }
  if (sections.some(({ by }) => by.some(isTime))) {
    await screen.print('');
    await screen.print(screen.paint.dim('Hours, days and ISO weeks are in UTC.'));
  }
};
