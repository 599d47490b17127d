/** Plays the examples: reports through the tool's handler, the other events as another service would send them. */
import { type Answer, createHandler } from '../../producer/index.ts';
import {
  createEncoder,
  createRegistry,
  eventHeaders,
  frame,
  kafka,
  type Log,
  registeredId,
  StreamError,
} from '../../wire/index.ts';
import type { Config } from '../config.ts';
import { openProducer } from '../open-producer.ts';
import { exampleEvents, exampleReports } from './examples.ts';

const DRAIN_LIMIT_MS = 20_000;
const CLOSE_LIMIT_MS = 5_000;

export interface PlayedReports {
  /** One per report, in order. */
  readonly answers: readonly Answer[];
  /** How many of them were the same call again: recorded once. */
  readonly repeats: number;
}

/** Resolves once every accepted report is on the topic. */
export const playReports = async (config: Config, log: Log): Promise<PlayedReports> => {
  const producer = openProducer(config, log, false);
  try {
    const report = createHandler(producer);
    const answers: Answer[] = [];
    for (const { context, input } of exampleReports()) answers.push(await report(context, input));
    const waiting = await producer.flush(DRAIN_LIMIT_MS);
    if (waiting === undefined) {
      throw new StreamError('NOT_DRAINED', 'the outbox cannot be read', 'Look at its file, then try again');
    }
    if (waiting > 0) throw new StreamError('NOT_DRAINED', `${waiting} reports`, 'Look at the broker, then try again');
    const { outbox } = await producer.status();
    return { answers, repeats: (outbox?.repeatedSame ?? 0) + (outbox?.repeatedOther ?? 0) };
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
