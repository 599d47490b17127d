/**
 * The sink as it is, in a process of its own and quicker: a frozen or killed one is noticed within seconds. `FAULT_SINK`:
 * JSON of a `SinkWish`; the other settings by the environment, as the program has them.
 */
import { createSinkJudge, runConsumer } from '../../consumer/index.ts';
import { isStreamError } from '../../wire/index.ts';
import { writeLine } from '../../cli/io.ts';
import { createLog } from '../../cli/log.ts';
import { type Blow, strikeAt } from './faults-sink-moments.ts';

export interface SinkWish {
  readonly group: string;
  readonly sessionTimeoutMs: number;
  readonly acceptQuarantine?: boolean;
  /** The catalogue of agents; without it any is taken. */
  readonly agents?: readonly string[];
  readonly blow?: Blow;
}

const wish = JSON.parse(process.env['FAULT_SINK'] ?? '{}') as SinkWish; // written by faults-sink-place.ts
const {
  KAFKA_BROKERS = '',
  SCHEMA_REGISTRY_URL = '',
  SESSION_EVENTS_TOPIC: topic = '',
  DATABASE_URL = '',
} = process.env;
if (wish.blow !== undefined) strikeAt(wish.blow);

const stop = new AbortController();
process.once('disconnect', () => stop.abort());
process.once('SIGTERM', () => stop.abort());

try {
  await runConsumer(
    {
      consumer: 'sink',
      judge: createSinkJudge({ agents: wish.agents === undefined ? undefined : new Set(wish.agents) }),
      kafka: { brokers: KAFKA_BROKERS.split(',') },
      registry: { url: SCHEMA_REGISTRY_URL },
      database: { url: DATABASE_URL },
      topic,
      group: wish.group,
      sessionTimeoutMs: wish.sessionTimeoutMs,
      stopLimitMs: 2_000,
      acceptQuarantine: wish.acceptQuarantine ?? false,
      log: createLog('info', process.stderr),
    },
    stop.signal,
  );
  process.exit(0);
} catch (error) {
  // As the program itself ends: what is said is out before it is gone.
  await writeLine(process.stderr, `deviations: ${isStreamError(error) ? error.message : String(error)}`);
  process.exit(isStreamError(error) ? error.exitCode : 1);
}
