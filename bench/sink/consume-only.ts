/** Reading a topic and doing nothing, in a process of its own as a sink is: told what it took once all is read. */
import kafkajs from 'kafkajs';
import { kafka, silentLog } from '../../wire/index.ts';

export interface ConsumeMessage {
  /** From the first batch to the last; the first one's records are not among them. */
  readonly records: number;
  readonly ms: number;
  readonly cpuSeconds: number;
  /** The first batch, by the clock that all processes of a machine share, in milliseconds since 1970. */
  readonly firstAtMs: number;
}

const [brokers = '', topic = '', group = '', events = ''] = process.argv.slice(2);

// With its first client of ours kafkajs is mended, here as in the sink.
await (await kafka.openCluster({ brokers: brokers.split(',') }, silentLog)).close();
const client = new kafkajs.Kafka({
  clientId: 'bench',
  brokers: brokers.split(','),
  logLevel: kafkajs.logLevel.NOTHING,
});
const consumer = client.consumer({ groupId: group, maxWaitTimeInMs: 500, allowAutoTopicCreation: false });
await consumer.connect();
await consumer.subscribe({ topic, fromBeginning: true });

let read = 0;
let first = { ms: 0, records: 0, atMs: 0, cpu: process.cpuUsage() };
await new Promise<void>((resolve, reject) => {
  consumer
    .run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      eachBatch: ({ batch, resolveOffset }) => {
        const { length } = batch.messages;
        if (read === 0) first = { ms: performance.now(), records: length, atMs: Date.now(), cpu: process.cpuUsage() };
        read += length;
        resolveOffset(batch.lastOffset());
        if (read >= Number(events)) resolve();
        return Promise.resolve();
      },
    })
    .catch(reject);
});
const { user, system } = process.cpuUsage(first.cpu);
const message: ConsumeMessage = {
  records: read - first.records,
  ms: performance.now() - first.ms,
  cpuSeconds: (user + system) / 1e6,
  firstAtMs: first.atMs,
};
process.send?.(message);
await consumer.disconnect();
process.disconnect();
