/**
 * Reading a topic and doing nothing, in a process of its own as a sink is: told what it took once all is read. By the
 * client as it comes, or by the sink's source, whose fetches are smaller so that less is in memory at once.
 */
import kafkajs from 'kafkajs';
import { kafka, silentLog } from '../../wire/index.ts';

export type ReaderName = 'client' | 'source';

export interface ConsumeMessage {
  /** From the first batch to the last; the first one's records are not among them. */
  readonly records: number;
  readonly ms: number;
  readonly cpuSeconds: number;
  /** The first batch, by the clock that all processes of a machine share, in milliseconds since 1970. */
  readonly firstAtMs: number;
}

const [reader = '', brokers = '', topic = '', group = '', events = ''] = process.argv.slice(2);
const settings = { brokers: brokers.split(',') };

let read = 0;
let first = { ms: 0, records: 0, atMs: 0, cpu: process.cpuUsage() };
/** Answers whether all is read. */
const count = (records: number): boolean => {
  if (read === 0) first = { ms: performance.now(), records, atMs: Date.now(), cpu: process.cpuUsage() };
  read += records;
  return read >= Number(events);
};

type Stop = () => Promise<void>;

const readAsClient = async (): Promise<Stop> => {
  // With its first client of ours kafkajs is mended, here as in the sink.
  await (await kafka.openCluster(settings, silentLog)).close();
  const client = new kafkajs.Kafka({ ...settings, clientId: 'bench', logLevel: kafkajs.logLevel.NOTHING });
  const consumer = client.consumer({ groupId: group, maxWaitTimeInMs: 500, allowAutoTopicCreation: false });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await new Promise<void>((resolve, reject) => {
    consumer
      .run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        eachBatch: ({ batch, resolveOffset }) => {
          const isAll = count(batch.messages.length);
          resolveOffset(batch.lastOffset());
          if (isAll) resolve();
          return Promise.resolve();
        },
      })
      .catch(reject);
  });
  return () => consumer.disconnect();
};

const readAsSource = async (): Promise<Stop> => {
  const source = kafka.createSource(
    { kafka: settings, topic, group, consumer: 'sink', sessionTimeoutMs: 30_000 },
    silentLog,
  );
  await new Promise<void>((resolve, reject) => {
    source
      .start({
        assigned: (partitions) => {
          for (const partition of partitions) source.resume(partition);
        },
        batch: ({ records }) => {
          if (count(records.length)) resolve();
        },
        passed: () => {},
        crashed: reject,
      })
      .catch(reject);
  });
  return () => source.stop();
};

const stop = await (reader === 'source' ? readAsSource() : readAsClient());
const { user, system } = process.cpuUsage(first.cpu);
const message: ConsumeMessage = {
  records: read - first.records,
  ms: performance.now() - first.ms,
  cpuSeconds: (user + system) / 1e6,
  firstAtMs: first.atMs,
};
process.send?.(message);
await stop();
process.disconnect();
