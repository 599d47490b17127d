/** What reading quarantined records again needs, from the settings. */
import type { Judges, QuarantinedReading } from '../../../consumer/index.ts';
import { type Cli, logOf } from '../../command.ts';
import type { Config } from '../../config.ts';
import { writeLine } from '../../io.ts';
import { DATABASE_SETTINGS, KAFKA_SETTINGS, REGISTRY_SETTINGS } from '../../settings.ts';

export const READING_SETTINGS = [
  ...DATABASE_SETTINGS,
  ...KAFKA_SETTINGS,
  ...REGISTRY_SETTINGS,
  'SESSION_EVENTS_TOPIC',
  'AGENTS_FILE',
  'LOG_LEVEL',
] as const;

export const readingOf = async (config: Config, cli: Cli): Promise<QuarantinedReading> => {
  const { createRegistry, createSchemaLookup } = await import('../../../wire/index.ts');
  return {
    kafka: config.kafka(),
    topic: config.topic(),
    log: await logOf(config, cli),
    lookup: createSchemaLookup(createRegistry(config.registry())),
    signal: cli.io.stop,
    onWait: (code) => void writeLine(cli.io.stderr, `deviations: no answer (${code}), waits for it`),
  };
};

/** The consumers' own, with the catalogue that the sink has. */
export const judgesOf = async (config: Config): Promise<Judges> => {
  const { createSinkJudge, graphJudge } = await import('../../../consumer/index.ts');
  return { sink: createSinkJudge({ agents: config.agentsIfAny() }), graph: graphJudge };
};

/** What became of a record, for people. */
export const GONE = {
  deleted: 'gone: retention deleted it; nothing can be stored of it any more, so discard the entry',
  passed: 'gone: compacted away or aborted; discard the entry',
  beyond: 'gone: the log ends before it, the topic was made anew; discard the entry',
  another: 'gone: another record lies there, the topic was made anew; discard the entry',
} as const;
