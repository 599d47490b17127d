/** A topic of its own, filled with framed records as the relay would send them. */
import { randomUUID } from 'node:crypto';
import { AGENT_DEVIATION } from '../../schemas/index.ts';
import {
  createEncoder,
  createRegistry,
  deviationHeaders,
  eventHeaders,
  frame,
  kafka,
  registeredId,
  registerSchemas,
  silentLog,
} from '../../wire/index.ts';
import { population } from '../deviations.ts';
import type { BenchOptions } from '../reports.ts';

export const PARTITIONS = 6;
const FOREIGN = 'anamnese.fact_accepted';
const BATCH = 500;

export interface FilledTopic {
  readonly topic: string;
  readonly events: number;
  /** Takes a consumer group off the broker's list. */
  forget(group: string): Promise<void>;
  remove(): Promise<void>;
}

export const newName = (): string => `bench-${randomUUID().slice(0, 8)}`;

/** `foreignShare`: how many of the records, 0 to 1, are of a type that the sink only passes over. */
export const fillTopic = async (
  { env, say }: BenchOptions,
  events: number,
  foreignShare: number,
): Promise<FilledTopic> => {
  const settings = { brokers: env.KAFKA_BROKERS.split(',') };
  const registry = createRegistry({ url: env.SCHEMA_REGISTRY_URL });
  await registerSchemas(registry);
  const topic = newName();
  const cluster = await kafka.openCluster(settings, silentLog);
  await cluster.createTopic(topic, PARTITIONS, 1);

  const [deviations, facts] = [createEncoder(AGENT_DEVIATION), createEncoder(FOREIGN)];
  const ids = { deviation: await registeredId(registry, AGENT_DEVIATION), fact: await registeredId(registry, FOREIGN) };
  const people = population(events);
  const record = (): kafka.OutgoingRecord => {
    if (Math.random() < foreignShare) {
      const event = people.fact();
      const value = frame(ids.fact, facts.encode(event));
      return { key: event.sessionId, value, headers: eventHeaders(FOREIGN, event) };
    }
    const event = people.deviation();
    const value = frame(ids.deviation, deviations.encode(event));
    return { key: event.sessionId, value, headers: deviationHeaders(event, undefined) };
  };

  const sender = kafka.createSender(settings, topic, silentLog);
  const beganMs = performance.now();
  for (let sent = 0; sent < events; sent += BATCH) {
    await sender.send(Array.from({ length: Math.min(BATCH, events - sent) }, record));
  }
  await sender.close();
  say(`topic filled with ${events.toLocaleString('en')} events in ${Math.round(performance.now() - beganMs)} ms`);
  return {
    topic,
    events,
    forget: (group) => cluster.deleteGroup(group).catch(() => {}),
    remove: async () => {
      await cluster.deleteTopic(topic);
      await cluster.close();
    },
  };
};
