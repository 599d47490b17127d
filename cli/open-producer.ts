/** A producer by the program's settings: the one way from configuration to reports. Reads `PRODUCER_SETTINGS`. */
import { createDeviationProducer, type DeviationProducer } from '../producer/index.ts';
import type { Log } from '../wire/index.ts';
import type { Config } from './config.ts';

export const openProducer = (config: Config, log: Log, requireEvidenceLookup: boolean): DeviationProducer =>
  createDeviationProducer({
    agents: config.agents(),
    kafka: config.kafka(),
    registry: config.registry(),
    topic: config.topic(),
    outboxFile: config.outboxFile(),
    requireEvidenceLookup,
    log,
  });
