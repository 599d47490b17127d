/**
 * The sink, put together from its parts, that kills itself as the kernel would at a chosen moment around its two commits.
 * Started as a process: `sink-that-dies.ts <moment> <nth> <group> <session time-out in milliseconds>`, settings by the
 * environment as the program has them.
 */
import { DatabaseSync } from 'node:sqlite';
import { createProgress, createSinkJudge, openStore, runStream } from '../../consumer/index.ts';
import { createRegistry, createSchemaLookup, kafka, silentLog } from '../../wire/index.ts';

export const MOMENTS = ['after-the-database-commit', 'before-the-kafka-commit', 'after-the-kafka-commit'] as const;
export type Moment = (typeof MOMENTS)[number];

const [moment, nth, group = '', sessionTimeoutMs] = process.argv.slice(2);
const {
  KAFKA_BROKERS = '',
  SCHEMA_REGISTRY_URL = '',
  SESSION_EVENTS_TOPIC: topic = '',
  DATABASE_URL = '',
} = process.env;

let seen = 0;
const dieAt = (here: Moment): void => {
  if (here !== moment) return;
  seen += 1;
  if (seen === Number(nth)) process.kill(process.pid, 'SIGKILL');
};

/** The driver itself, not the store: whatever the store does in how many transactions, each one's end is a moment. */
const exec = Object.getOwnPropertyDescriptor(DatabaseSync.prototype, 'exec')?.value as DatabaseSync['exec']; // a method
DatabaseSync.prototype.exec = function (this: DatabaseSync, sql: string): void {
  exec.call(this, sql);
  if (/^\s*commit/i.test(sql)) dieAt('after-the-database-commit');
};

const dying = (source: kafka.Source): kafka.Source => ({
  ...source,
  commit: async (partition, next) => {
    dieAt('before-the-kafka-commit');
    await source.commit(partition, next);
    dieAt('after-the-kafka-commit');
  },
});

const settings: kafka.KafkaSettings = { brokers: KAFKA_BROKERS.split(',') };
const stop = new AbortController();
process.once('disconnect', () => stop.abort());

const cluster = await kafka.openCluster(settings, silentLog);
await runStream(
  {
    consumer: 'sink',
    topic,
    createSource: () =>
      dying(
        kafka.createSource(
          { kafka: settings, topic, group, consumer: 'sink', sessionTimeoutMs: Number(sessionTimeoutMs) },
          silentLog,
        ),
      ),
    ends: () => cluster.ends(topic),
    store: await openStore({ url: DATABASE_URL }),
    lookup: createSchemaLookup(createRegistry({ url: SCHEMA_REGISTRY_URL })),
    committed: async (partition) => (await cluster.committed(group, topic)).get(partition),
    progress: createProgress(),
    acceptQuarantine: false,
    judge: createSinkJudge({ agents: undefined }),
    log: silentLog,
  },
  stop.signal,
);
// Only when nothing killed it: the channel to the test is gone.
process.exit(0);
