/** Puts records on the topic as somebody else's client would: any bytes, under any key, with any headers. */
import { type IHeaders, Partitioners } from 'kafkajs';
import { foreignKafka } from './topics.ts';

export interface ForeignMessage {
  readonly key: string | null;
  readonly value: Buffer | null;
  readonly headers?: IHeaders;
  /** By the key unless given. */
  readonly partition?: number;
}

/** In one request and one batch per partition, acknowledged. */
export const writeTo = async (topic: string, messages: readonly ForeignMessage[], at?: string): Promise<void> => {
  const producer = foreignKafka(at).producer({
    allowAutoTopicCreation: false,
    createPartitioner: Partitioners.DefaultPartitioner,
  });
  await producer.connect();
  try {
    await producer.send({ topic, acks: -1, messages: [...messages] });
  } finally {
    await producer.disconnect();
  }
};

/** The registry's frame, by hand: a zero byte, the id as four bytes, the body. */
export const framed = (schemaId: number, body: Uint8Array): Buffer => {
  const head = Buffer.alloc(5);
  head.writeInt32BE(schemaId, 1);
  return Buffer.concat([head, body]);
};
