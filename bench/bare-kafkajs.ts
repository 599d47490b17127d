/** A bare loop with kafkajs as npm ships it, in a process of its own: in ours it is mended when it is loaded (decision 0012). */
import { Kafka, Partitioners } from 'kafkajs';
import type { SchemaId } from '../wire/index.ts';
import { bareBatches, loopRate } from './bare-records.ts';

const [brokers = '', topic = '', id = ''] = process.argv.slice(2);
const producer = new Kafka({ clientId: 'bench', brokers: brokers.split(',') }).producer({
  allowAutoTopicCreation: false,
  createPartitioner: Partitioners.DefaultPartitioner,
  maxInFlightRequests: 1,
});
await producer.connect();
const rate = await loopRate(bareBatches(Number(id) as SchemaId), (batch) =>
  producer.send({ topic, acks: -1, messages: batch.map(({ key, value, headers }) => ({ key, value, headers })) }),
);
await producer.disconnect();
process.stdout.write(String(rate));
