import type { Cli } from '../command.ts';
import { Command, configOf, logOf, withSettings } from '../command.ts';
import { writeLine } from '../io.ts';
import { wholeNumber } from '../lists.ts';
import { type Format, formatOption, print } from '../output/format.ts';
import { KAFKA_SETTINGS } from '../settings.ts';

const USED = [...KAFKA_SETTINGS, 'SESSION_EVENTS_TOPIC', 'LOG_LEVEL'] as const;

/** Opens the cluster for one deed and closes it again. */
const onCluster = async (
  command: Command,
  cli: Cli,
  deed: (cluster: import('../../wire/index.ts').kafka.Cluster, topic: string) => Promise<number>,
): Promise<number> => {
  const config = configOf(command, cli);
  const { kafka } = await import('../../wire/index.ts');
  const cluster = await kafka.openCluster(config.kafka(), await logOf(config, cli));
  try {
    return await deed(cluster, config.topic());
  } finally {
    await cluster.close();
  }
};

const createCommand = (cli: Cli): Command => {
  const command = withSettings(new Command('create'), USED)
    .description('create the topic with the settings that the promises rest on; an existing one is left as it is')
    .option('--partitions <count>', 'number of partitions', wholeNumber(1, 10_000), 6)
    .option('--replication <count>', 'replicas of each', wholeNumber(1, 100), 1);
  return command.action(async (flags: { readonly partitions: number; readonly replication: number }) => {
    await cli.ends(
      onCluster(command, cli, async (cluster, topic) => {
        const isNew = await cluster.createTopic(topic, flags.partitions, flags.replication);
        await writeLine(
          cli.io.stderr,
          isNew ? `created topic ${topic}` : `topic ${topic} is there already, left as it is`,
        );
        return 0;
      }),
    );
  });
};

interface SettingRow {
  readonly setting: string;
  readonly value: string;
}

const showCommand = (cli: Cli): Command => {
  const command = withSettings(new Command('show'), USED)
    .description("show the topic's partitions, replication and settings")
    .addOption(formatOption());
  return command.action(async (flags: { readonly output?: Format }) => {
    await cli.ends(
      onCluster(command, cli, async (cluster, topic) => {
        const { StreamError } = await import('../../wire/index.ts');
        const shape = await cluster.topic(topic);
        if (shape === undefined) {
          throw new StreamError('TOPIC_MISSING', `topic ${topic}`, 'Create it: deviations topic create');
        }
        const records: readonly SettingRow[] = [
          { setting: 'topic', value: topic },
          { setting: 'partitions', value: String(shape.partitions) },
          { setting: 'replication', value: String(shape.replication) },
          ...[...shape.settings].map(([setting, value]) => ({ setting, value })),
        ];
        await print(
          {
            records,
            columns: [
              { heading: 'setting', of: (row) => row.setting },
              { heading: 'value', of: (row) => row.value },
            ],
            toJson: (row) => ({ setting: row.setting, value: row.value }),
          },
          cli.screen,
          flags.output,
        );
        return 0;
      }),
    );
  });
};

export const topicCommand = (cli: Cli): Command =>
  new Command('topic')
    .description('the topic: create, show')
    .addCommand(createCommand(cli))
    .addCommand(showCommand(cli));
