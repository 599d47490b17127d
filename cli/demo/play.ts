/** Plays the examples: reports through the tool's handler, the other events as another service would send them. */
import { createDeviationProducer, createHandler, type Answer } from '../../producer/index.ts';
import { createEncoder, createRegistry, eventHeaders, frame, kafka, type Log, registeredId } from '../../wire/index.ts';
import type { Config } from '../config.ts';
import { exampleEvents, exampleReports } from './examples.ts';

const CLOSE_LIMIT_MS = 5_000;

/** One answer per report, in order. */
export const playReports = async (config: Config, log: Log): Promise<readonly Answer[]> => {
  const producer = createDeviationProducer({
    agents: config.agents(),
    kafka: config.kafka(),
    registry: config.registry(),
    topic: config.topic(),
    log,
  });
  try {
    const report = createHandler(producer);
    const answers: Answer[] = [];
    for (const { context, input } of exampleReports()) answers.push(await report(context, input));
    return answers;
  } finally {
    await producer.close(CLOSE_LIMIT_MS);
  }
};

/** Answers how many were sent. */
export const playProjectable = async (config: Config, log: Log): Promise<number> => {
  const registry = createRegistry(config.registry());
  const sender = kafka.createSender(config.kafka(), config.topic(), log);
  try {
    const records: kafka.OutgoingRecord[] = [];
    for (const { type, event } of exampleEvents()) {
      const id = await registeredId(registry, type);
      const body = createEncoder(type).encode(event);
      records.push({ key: event.sessionId, value: frame(id, body), headers: eventHeaders(type, event) });
    }
    await sender.send(records);
    return records.length;
  } finally {
    await sender.close();
  }
};
