/** The sink as its own process, from a filled topic to committed rows. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { consumedCount, openReader } from '../../consumer/index.ts';
import { cpuSecondsOf, peakResidentBytes } from '../process-figures.ts';
import type { BenchOptions } from '../reports.ts';
import type { BenchDatabase } from './databases.ts';
import { type FilledTopic, newName } from './topic.ts';

const PROGRAM = join(import.meta.dirname, '../../bin/deviations.js');
const LOOK_EVERY_MS = 50;
const LIMIT_MS = 600_000;

export interface SinkRun {
  /** From the first committed records to the last. */
  readonly perSecond: number;
  readonly clientCpuPerMillion: number;
  readonly backendsCpuPerMillion: number;
  /** What the rest of the database's server used: its log, its checkpoints. */
  readonly restOfServerCpuPerMillion: number;
  readonly peakBytes: number;
  readonly startMs: number;
}

export const runSink = async (
  { env }: BenchOptions,
  { topic, events, forget }: FilledTopic,
  database: BenchDatabase,
): Promise<SinkRun> => {
  const reader = openReader({ url: database.url });
  // A group of its own: an older one with a fresh database would say that the database was lost.
  const group = newName();
  const startedMs = performance.now();
  const sink = spawn(process.execPath, [...nodeOptions(), PROGRAM, 'sink', '--group', group], {
    env: { ...process.env, ...env, DATABASE_URL: database.url, SESSION_EVENTS_TOPIC: topic, LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const { pid = 0 } = sink;
  const ended = once(sink, 'exit');

  const look = async () => {
    const rows = await reader.positions(topic);
    const server = database.serverCpu();
    return {
      ms: performance.now(),
      records: rows.reduce((sum, { counts }) => sum + consumedCount(counts), 0),
      client: cpuSecondsOf(pid),
      backends: server.backendsSeconds,
      rest: server.wholeSeconds - server.backendsSeconds,
    };
  };
  const until = async (records: number) => {
    for (;;) {
      const seen = await look();
      if (seen.records >= records) return seen;
      if (sink.exitCode !== null) throw new Error(`the sink ended with ${sink.exitCode}`);
      if (performance.now() - startedMs > LIMIT_MS)
        throw new Error(`the sink did not store everything in ${LIMIT_MS} ms`);
      await sleep(LOOK_EVERY_MS);
    }
  };

  try {
    const first = await until(1);
    const last = await until(events);
    const perMillion = (seconds: number): number => (seconds / (last.records - first.records)) * 1e6;
    return {
      perSecond: ((last.records - first.records) / (last.ms - first.ms)) * 1_000,
      clientCpuPerMillion: perMillion(last.client - first.client),
      backendsCpuPerMillion: perMillion(last.backends - first.backends),
      restOfServerCpuPerMillion: perMillion(last.rest - first.rest),
      peakBytes: peakResidentBytes(pid),
      startMs: first.ms - startedMs,
    };
  } finally {
    sink.kill('SIGTERM');
    await ended;
    await reader.close();
    await forget(group);
  }
};

/** `BENCH_NODE_OPTIONS="--cpu-prof …"` looks into the sink itself. */
const nodeOptions = (): readonly string[] => (process.env['BENCH_NODE_OPTIONS'] ?? '').split(' ').filter(Boolean);
