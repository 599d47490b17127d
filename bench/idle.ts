/** What a consumer costs that has nothing to do: the share of one core, beside the same process without it. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createProgress, createSinkJudge, graphJudge, migrate, runConsumer } from '../consumer/index.ts';
import { startPostgres } from '../stack/index.ts';
import { type Consumer, createRegistry, kafka, registerSchemas, silentLog } from '../wire/index.ts';
import type { Figure } from './figures.ts';
import type { BenchOptions } from './reports.ts';

const MEASURED_MS = 40_000;
/** Until what a start leaves to clean up is cleaned up. */
const SETTLE_MS = 5_000;
const PARTITIONS = 6;
const TARGET = 0.005;

const percent = (share: number): string => `${(share * 100).toFixed(2)} %`;

/** The share of one core that this process takes. */
const measured = async (): Promise<number> => {
  await sleep(SETTLE_MS);
  const before = process.cpuUsage();
  const beganMs = performance.now();
  await sleep(MEASURED_MS);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / (performance.now() - beganMs);
};

export const benchIdle = async ({ env, say }: BenchOptions): Promise<readonly Figure[]> => {
  const settings = { brokers: env.KAFKA_BROKERS.split(',') };
  const registry = { url: env.SCHEMA_REGISTRY_URL };
  const topic = `bench-idle-${randomUUID().slice(0, 8)}`;
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const server = await startPostgres();
  await registerSchemas(createRegistry(registry));
  const withCluster = async (work: (cluster: kafka.Cluster) => Promise<unknown>): Promise<void> => {
    const cluster = await kafka.openCluster(settings, silentLog);
    try {
      await work(cluster);
    } finally {
      await cluster.close();
    }
  };
  await withCluster((cluster) => cluster.createTopic(topic, PARTITIONS, 1));

  const idle = async (consumer: Consumer, url: string): Promise<number> => {
    await migrate({ url });
    const progress = createProgress();
    const stop = new AbortController();
    const running = runConsumer(
      {
        consumer,
        judge: consumer === 'sink' ? createSinkJudge({ agents: undefined }) : graphJudge,
        kafka: settings,
        registry,
        database: { url },
        topic,
        group: `${topic}-${consumer}`,
        progress,
        log: silentLog,
      },
      stop.signal,
    );
    while (!progress.snapshot().isReady) await sleep(50);
    const share = await measured();
    stop.abort();
    await running;
    await withCluster((cluster) => cluster.deleteGroup(`${topic}-${consumer}`));
    return share;
  };

  const floor = await measured();
  const figure = async (what: string, consumer: Consumer, url: string): Promise<Figure> => {
    const share = await idle(consumer, url);
    say(`${what}: ${percent(share)}`);
    return {
      what: `${what}, idle for ${MEASURED_MS / 1_000} s, ${PARTITIONS} partitions`,
      ours: percent(share),
      beside: `nothing running ${percent(floor)}`,
      target: `<= ${percent(TARGET)}`,
      isMet: share <= TARGET,
    };
  };

  try {
    return [
      await figure('sink on SQLite', 'sink', `sqlite:${join(folder, 'session-events.db')}`),
      await figure('sink on PostgreSQL', 'sink', (await server.createDatabase()).url),
      await figure('graph on SQLite', 'graph', `sqlite:${join(folder, 'session-events.db')}`),
    ];
  } finally {
    await withCluster((cluster) => cluster.deleteTopic(topic));
    await server.remove();
    rmSync(folder, { recursive: true, force: true });
  }
};
