/** The two consumers as commands: they read until SIGTERM. */
import type { Consumer } from '../../wire/index.ts';
import type { Cli } from '../command.ts';
import { Command, configOf, logOf, withSettings } from '../command.ts';
import { DATABASE_SETTINGS, KAFKA_SETTINGS, REGISTRY_SETTINGS } from '../settings.ts';

const DESCRIPTIONS = {
  sink: "store the topic's deviations in session_events, until stopped",
  graph: "project the topic's other events into the person's graph, until stopped",
} as const satisfies Record<Consumer, string>;

const consumeCommand = (consumer: Consumer, cli: Cli): Command => {
  const command = withSettings(new Command(consumer), [
    ...KAFKA_SETTINGS,
    ...REGISTRY_SETTINGS,
    ...DATABASE_SETTINGS,
    'SESSION_EVENTS_TOPIC',
    ...(consumer === 'sink' ? (['AGENTS_FILE'] as const) : []),
    'HEALTH_PORT',
    'LOG_LEVEL',
  ])
    .description(DESCRIPTIONS[consumer])
    .option('--group <name>', `consumer group, else session-events-${consumer}`)
    .option('--accept-quarantine', 'after a halt: go on though most records of late were wrong');

  return command.action(async (flags: { readonly group?: string; readonly acceptQuarantine?: boolean }) => {
    await cli.endsItself(
      (async () => {
        const config = configOf(command, cli);
        const [{ createProgress, createSinkJudge, graphJudge, runConsumer, serveHealth }, { DEFAULT_GROUPS }] =
          await Promise.all([import('../../consumer/index.ts'), import('../../wire/index.ts')]);
        const progress = createProgress();
        const port = config.healthPort();
        const health = port === undefined ? undefined : await serveHealth(port, consumer, progress);
        try {
          await runConsumer(
            {
              consumer,
              judge: consumer === 'sink' ? createSinkJudge({ agents: config.agentsIfAny() }) : graphJudge,
              kafka: config.kafka(),
              registry: config.registry(),
              database: config.database(),
              topic: config.topic(),
              group: flags.group ?? DEFAULT_GROUPS[consumer],
              acceptQuarantine: flags.acceptQuarantine ?? false,
              progress,
              log: await logOf(config, cli),
            },
            cli.io.stop,
          );
        } finally {
          await health?.close();
        }
        return 0;
      })(),
    );
  });
};

export const sinkCommand = (cli: Cli): Command => consumeCommand('sink', cli);
export const graphCommand = (cli: Cli): Command => consumeCommand('graph', cli);
