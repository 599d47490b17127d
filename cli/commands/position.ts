import type { PositionRow } from '../../consumer/index.ts';
import type { Consumer, kafka } from '../../wire/index.ts';
import { CONSUMERS } from '../../wire/names.ts';
import type { Cli } from '../command.ts';
import { Command, configOf, logOf, Option, withSettings } from '../command.ts';
import { writeLine } from '../io.ts';
import { wholeNumber } from '../lists.ts';
import { type Column, type Format, formatOption, print } from '../output/format.ts';
import { DATABASE_SETTINGS, KAFKA_SETTINGS } from '../settings.ts';

const MAX_PARTITION = 99_999;

const COLUMNS: readonly Column<PositionRow>[] = [
  { heading: 'consumer', of: ({ consumer }) => consumer },
  { heading: 'partition', of: ({ partition }) => String(partition) },
  { heading: 'nextOffset', of: ({ position }) => String(position) },
  { heading: 'epoch', of: ({ epoch }) => String(epoch) },
  { heading: 'stored', of: ({ counts }) => String(counts.stored) },
  { heading: 'duplicate', of: ({ counts }) => String(counts.duplicate) },
  { heading: 'filtered', of: ({ counts }) => String(counts.filtered) },
  { heading: 'quarantined', of: ({ counts }) => String(counts.quarantined) },
];

const showCommand = (cli: Cli): Command => {
  const command = withSettings(new Command('show'), [...DATABASE_SETTINGS, 'SESSION_EVENTS_TOPIC'])
    .description('where each consumer stands, and what became of what it read')
    .addOption(formatOption());
  return command.action(async (flags: { readonly output?: Format }) => {
    await cli.ends(
      (async () => {
        const config = configOf(command, cli);
        const { openReader } = await import('../../consumer/index.ts');
        const reader = openReader(config.database());
        try {
          await print(
            {
              records: await reader.positions(config.topic()),
              columns: COLUMNS,
              toJson: ({ consumer, topic, partition, position, epoch, counts }) => ({
                consumer,
                topic,
                partition,
                nextOffset: Number(position),
                epoch,
                ...counts,
              }),
            },
            cli.screen,
            flags.output,
          );
          return 0;
        } finally {
          await reader.close();
        }
      })(),
    );
  });
};

interface AdoptFlags {
  readonly consumer: Consumer;
  readonly partition: number;
  readonly to: string;
  readonly why: string;
}

const WHY = ['recreated', 'truncated', 'retention', 'database-lost', 'restored'] as const;

const adoptCommand = (cli: Cli): Command => {
  const command = withSettings(new Command('adopt'), [
    ...DATABASE_SETTINGS,
    ...KAFKA_SETTINGS,
    'SESSION_EVENTS_TOPIC',
    'LOG_LEVEL',
  ])
    .description('after a halt: go on from another offset, and record what lies between as lost')
    .addOption(new Option('--consumer <word>', 'whose position').choices(CONSUMERS).makeOptionMandatory())
    .requiredOption('--partition <number>', 'of which partition', wholeNumber(0, MAX_PARTITION))
    .option('--to <offset>', 'start, end, or an offset between them', 'start')
    .addOption(new Option('--why <word>', 'what happened').choices(WHY).makeOptionMandatory());

  return command.action(async (flags: AdoptFlags) => {
    if (!/^(?:start|end|\d{1,19})$/.test(flags.to)) {
      command.error('error: --to is start, end or an offset', { exitCode: 2 });
    }
    await cli.ends(
      (async () => {
        const config = configOf(command, cli);
        const topic = config.topic();
        const [consumers, wire] = await Promise.all([import('../../consumer/index.ts'), import('../../wire/index.ts')]);
        const where = `${topic} partition ${flags.partition}`;
        const cluster = await wire.kafka.openCluster(config.kafka(), await logOf(config, cli));
        const reader = consumers.openReader(config.database());
        try {
          const ends = (await cluster.ends(topic)).find(({ partition }) => partition === flags.partition);
          if (ends === undefined) {
            throw new wire.StreamError('TOPIC_MISSING', where, 'See its partitions: deviations topic show');
          }
          const to = chosen(flags.to, ends, wire.kafka.offset);
          if (to < ends.start || to > ends.end) {
            throw new wire.StreamError(
              'DATA_PROBLEM',
              `${where} holds ${ends.start} to ${ends.end}`,
              'Give an offset within',
            );
          }
          const from = (await reader.positions(topic)).find(
            (row) => row.consumer === flags.consumer && row.partition === flags.partition,
          )?.position;
          const store = await consumers.openStore(config.database());
          try {
            const key = { consumer: flags.consumer, topic, partition: flags.partition };
            await store.adopt(key, { from, to, why: flags.why });
          } finally {
            await store.close();
          }
          const before = from === undefined ? 'without a position' : `from offset ${from}`;
          await writeLine(
            cli.io.stderr,
            `${flags.consumer} on ${where}: ${before} to offset ${to}, recorded as ${flags.why}`,
          );
          return 0;
        } finally {
          await reader.close();
          await cluster.close();
        }
      })(),
    );
  });
};

const chosen = (to: string, ends: kafka.PartitionEnds, offset: (value: string) => kafka.Offset): kafka.Offset => {
  if (to === 'start') return ends.start;
  return to === 'end' ? ends.end : offset(to);
};

export const positionCommand = (cli: Cli): Command =>
  new Command('position')
    .description("the consumers' positions: show, adopt")
    .addCommand(showCommand(cli))
    .addCommand(adoptCommand(cli));
