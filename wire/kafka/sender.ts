/** Puts records on the topic: acks=all, one batch in flight, the topic never made by accident. */
import type { Headers } from '../headers.ts';
import type { Log } from '../log.ts';
import { brokerError, createKafka, type KafkaSettings } from './client.ts';
import { theKafkajs } from './kafkajs.ts';

export interface OutgoingRecord {
  /** The session id: order per session. */
  readonly key: string;
  /** The framed value. */
  readonly value: Buffer;
  readonly headers: Headers;
}

export interface Sender {
  /** Resolves once every in-sync replica has every record; rejects with a StreamError otherwise. */
  send(records: readonly OutgoingRecord[]): Promise<void>;
  close(): Promise<void>;
}

/** How long the broker may wait for its replicas, in milliseconds. */
const ACKNOWLEDGEMENT_TIMEOUT_MS = 5_000;

export const createSender = (settings: KafkaSettings, topic: string, log: Log): Sender => {
  const producer = createKafka(settings, 'producer', log).producer({
    allowAutoTopicCreation: false,
    // murmur2 of the key, as the Java client: a session keeps its partition whoever writes.
    createPartitioner: theKafkajs().Partitioners.DefaultPartitioner,
    // Not relied on: the event id makes a repeat harmless, and with it kafkajs may lose sends without a word.
    idempotent: false,
    maxInFlightRequests: 1,
  });
  let connecting: Promise<void> | undefined;
  let lastSend: Promise<unknown> = Promise.resolve();

  const connected = (): Promise<void> => {
    connecting ??= producer.connect().catch((error: unknown) => {
      connecting = undefined;
      throw error;
    });
    return connecting;
  };

  const sendNow = async (records: readonly OutgoingRecord[]): Promise<void> => {
    try {
      await connected();
      await producer.send({
        topic,
        acks: -1,
        timeout: ACKNOWLEDGEMENT_TIMEOUT_MS,
        // No timestamp: the topic stamps the time of arrival (design 3.1).
        messages: records.map(({ key, value, headers }) => ({ key, value, headers })),
      });
    } catch (error) {
      throw brokerError(error, `sending to topic ${topic}`, settings);
    }
  };

  return {
    send: (records) => {
      const turn = lastSend.then(() => sendNow(records));
      lastSend = turn.catch(() => {});
      return turn;
    },
    close: async () => {
      await lastSend;
      await producer.disconnect().catch(() => {});
    },
  };
};
