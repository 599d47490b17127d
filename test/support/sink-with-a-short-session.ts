/** The sink as it is, but quicker: a frozen or killed one is noticed within seconds, and so does a stop end that waits in vain. */
import { createSinkJudge, runConsumer } from '../../consumer/index.ts';
import { createLog } from '../../cli/log.ts';

const [group = '', sessionTimeoutMs] = process.argv.slice(2);
const {
  KAFKA_BROKERS = '',
  SCHEMA_REGISTRY_URL = '',
  SESSION_EVENTS_TOPIC: topic = '',
  DATABASE_URL = '',
} = process.env;

const stop = new AbortController();
process.once('disconnect', () => stop.abort());
process.once('SIGTERM', () => stop.abort());

await runConsumer(
  {
    consumer: 'sink',
    judge: createSinkJudge({ agents: undefined }),
    kafka: { brokers: KAFKA_BROKERS.split(',') },
    registry: { url: SCHEMA_REGISTRY_URL },
    database: { url: DATABASE_URL },
    topic,
    group,
    sessionTimeoutMs: Number(sessionTimeoutMs),
    stopLimitMs: 2_000,
    log: createLog('info', process.stderr),
  },
  stop.signal,
);
process.exit(0);
