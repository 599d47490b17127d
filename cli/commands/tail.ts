import type { ArrivalNews, NotShown } from '../../consumer/index.ts';
import type { Cli } from '../command.ts';
import { Command, configOf, logOf, withSettings } from '../command.ts';
import { type FilterFlags, filterOf, withFilters } from '../filters.ts';
import { writeLine } from '../io.ts';
import { wholeNumber } from '../lists.ts';
import { type Format, formatFor, formatOption } from '../output/format.ts';
import { DATABASE_SETTINGS, KAFKA_SETTINGS, REGISTRY_SETTINGS } from '../settings.ts';

interface TailFlags extends FilterFlags {
  readonly limit: number;
  readonly follow?: boolean;
  readonly raw?: string;
  readonly output?: Format;
}

const MAX_ROWS = 100_000;

/** Each word of it ours: a code, a number, a constant. */
export const newsText = (news: ArrivalNews): string => {
  switch (news.what) {
    case 'waits':
      return `no answer (${news.code}), waits for it`;
    case 'interrupted':
      return `the broker does not answer (${news.code}), waits for it`;
    case 'resumed':
      return 'it answers again, goes on where it was';
    case 'added':
      return `partition ${news.partition} was added, reads it too`;
    case 'gap':
      return `partition ${news.partition}: offsets ${news.from} to ${news.to - 1n} were deleted before they could be read`;
    case 'anew':
      return `partition ${news.partition} begins anew: the topic was made again, reads it from its start`;
    default:
      return news satisfies never;
  }
};

const notShownText = ({ others, repeats, unmatched }: NotShown): string | undefined => {
  const parts = [
    ...(others > 0 ? [`${others} of other types`] : []),
    ...(repeats > 0 ? [`${repeats} repeated`] : []),
    ...(unmatched > 0 ? [`${unmatched} that the filters do not let through`] : []),
  ];
  return parts.length === 0 ? undefined : `not shown: ${parts.join(', ')}`;
};

export const tailCommand = (cli: Cli): Command => {
  const command = withFilters(
    withSettings(new Command('tail'), [
      ...DATABASE_SETTINGS,
      ...KAFKA_SETTINGS,
      ...REGISTRY_SETTINGS,
      'SESSION_EVENTS_TOPIC',
      'AGENTS_FILE',
      'LOG_LEVEL',
    ]).description(
      'the last deviations of the table, then what the topic holds behind them; -f goes on with what arrives',
    ),
  )
    .option('-n, --limit <count>', 'at most so many of the last', wholeNumber(0, MAX_ROWS), 10)
    .option('-f, --follow', 'go on until Ctrl-C')
    .option('--raw <file>', 'write unreadable records there, whole: JSON lines with base64')
    .addOption(formatOption());

  return command.action(async (flags: TailFlags) => {
    if (flags.follow === true && flags.output === 'json') {
      command.error('error: a JSON array has an end and -f has none: use -o ndjson', { exitCode: 2 });
    }
    await cli.endsItself(
      (async () => {
        const config = configOf(command, cli);
        const [consumers, { createRegistry, createSchemaLookup }, { createShownPrinter, shownListing }, { print }] =
          await Promise.all([
            import('../../consumer/index.ts'),
            import('../../wire/index.ts'),
            import('../output/shown.ts'),
            import('../output/format.ts'),
          ]);
        const notShown: NotShown = { others: 0, repeats: 0, unmatched: 0 };
        const agents = config.agentsIfAny();
        const follows = flags.follow === true;
        const shown = consumers.tail(
          {
            kafka: config.kafka(),
            topic: config.topic(),
            log: await logOf(config, cli),
            // Opened for one question: a connection that waits for hours is of no use.
            reader: {
              latest: async (...question) => {
                const reader = consumers.openReader(config.database());
                try {
                  return await reader.latest(...question);
                } finally {
                  await reader.close();
                }
              },
            },
            lookup: createSchemaLookup(createRegistry(config.registry())),
            judge: consumers.createSinkJudge({ agents }),
            agents,
            filter: filterOf(flags),
            limit: flags.limit,
            follows,
            signal: cli.io.stop,
            onNews: (news) => void writeLine(cli.io.stderr, `deviations: ${newsText(news)}`),
          },
          notShown,
        );
        const raw =
          flags.raw === undefined ? undefined : (await import('../output/raw-file.ts')).openRawFile(flags.raw);
        const format = formatFor(flags.output, cli.screen);
        const show = createShownPrinter(format, cli.screen);
        const all: Parameters<typeof show>[0][] = [];
        let unreadable = 0;
        try {
          for await (const one of shown) {
            if (cli.io.stop.aborted) break;
            if (one.kind === 'unreadable') {
              unreadable += 1;
              raw?.write(one.place, one.record);
            }
            if (format === 'json') all.push(one);
            else await show(one);
          }
          if (format === 'json') await print(shownListing(all), cli.screen, format);
        } finally {
          raw?.close();
        }
        const said = notShownText(notShown);
        if (said !== undefined) await writeLine(cli.io.stderr, `deviations: ${said}`);
        return unreadable > 0 && !follows ? 5 : 0;
      })(),
    );
  });
};
