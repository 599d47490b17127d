/** Puts a consumer together: waits for what it needs, reads until it is told to stop. */
import { createSchemaLookup, createRegistry, isStreamError, kafka, registeredId } from '../wire/index.ts';
import type { Consumer, Log, RegistrySettings } from '../wire/index.ts';
import { holdUntilDone } from './stream/hold.ts';
import type { Judge } from './stream/judge.ts';
import { createProgress, type Progress } from './stream/progress.ts';
import { runStream } from './stream/stream.ts';
import { type DatabaseSettings, openStore } from './store/open.ts';

export interface ConsumerOptions {
  readonly consumer: Consumer;
  readonly judge: Judge;
  readonly kafka: kafka.KafkaSettings;
  readonly registry: RegistrySettings;
  readonly database: DatabaseSettings;
  readonly topic: string;
  readonly group: string;
  /** After how long without a heartbeat the broker gives the partitions away, in milliseconds; 30,000 unless given. */
  readonly sessionTimeoutMs?: number;
  /** How soon a partition that was added is noticed, in milliseconds; 30,000 unless given. */
  readonly metadataMaxAgeMs?: number;
  /** How long leaving the group may take at a stop, in milliseconds; 10,000 unless given. */
  readonly stopLimitMs?: number;
  /** Goes on though over half of 2,000 or more records within ten minutes were quarantined. */
  readonly acceptQuarantine?: boolean;
  /** What the health page and the metrics read; one is made when none is given. */
  readonly progress?: Progress;
  readonly log: Log;
}

const DEFAULT_SESSION_TIMEOUT_MS = 30_000;

/** Waiting does not mend a wrong contract or a wrong setting: exit 3. */
const isFinal = (error: unknown): boolean => isStreamError(error) && !error.retriable;

/** Resolves after a clean stop; rejects with a StreamError that names the exit code. */
export const runConsumer = async (options: ConsumerOptions, stop: AbortSignal): Promise<void> => {
  const { consumer, judge, topic, log } = options;
  const whenStopped = new Promise<undefined>((resolve) => {
    stop.addEventListener('abort', () => resolve(undefined), { once: true });
    if (stop.aborted) resolve(undefined);
  });
  /** A stop does not wait for an answer; what is opened later than that is closed again. */
  const hold = async <T>(work: () => Promise<T>, close?: (late: T) => Promise<void>): Promise<T | undefined> => {
    const answer = holdUntilDone(work, {
      log,
      fields: { consumer, topic },
      signal: stop,
      isFinal,
      onHold: (isHolding) => progress.holds('start', isHolding),
    });
    const inTime = await Promise.race([answer, whenStopped]);
    if (inTime === undefined) {
      answer.then((late) => (late === undefined ? undefined : close?.(late))).catch(() => {});
    }
    return inTime;
  };

  const progress = options.progress ?? createProgress();
  const registry = createRegistry(options.registry);
  const cluster = await hold(
    () => kafka.openCluster(options.kafka, log),
    (late) => late.close(),
  );
  if (cluster === undefined) return;
  try {
    await hold(() => cluster.ends(topic));
    for (const type of judge.takes) await hold(() => registeredId(registry, type));
    const store = await hold(
      () => openStore(options.database),
      (late) => late.close(),
    );
    if (store === undefined) return;
    try {
      log.info('ready', { consumer, topic });
      await runStream(
        {
          consumer,
          topic,
          createSource: () =>
            kafka.createSource(
              {
                kafka: options.kafka,
                topic,
                group: options.group,
                consumer,
                sessionTimeoutMs: options.sessionTimeoutMs ?? DEFAULT_SESSION_TIMEOUT_MS,
                ...(options.metadataMaxAgeMs === undefined ? {} : { metadataMaxAgeMs: options.metadataMaxAgeMs }),
              },
              log,
            ),
          ends: () => cluster.ends(topic),
          committed: async (partition) => (await cluster.committed(options.group, topic)).get(partition),
          store,
          lookup: createSchemaLookup(registry),
          judge,
          progress,
          acceptQuarantine: options.acceptQuarantine ?? false,
          ...(options.stopLimitMs === undefined ? {} : { stopLimitMs: options.stopLimitMs }),
          log,
        },
        stop,
      );
    } finally {
      await store.close();
      log.info('stopped', { consumer, topic });
    }
  } finally {
    await cluster.close();
  }
};
