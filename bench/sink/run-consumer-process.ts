/** A consumer as its own process, from a filled topic to its committed position. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { consumedCount, openReader } from '../../consumer/index.ts';
import type { Consumer } from '../../wire/index.ts';
import { cpuSecondsOf, peakResidentBytes, residentBytes } from '../process-figures.ts';
import type { BenchOptions } from '../reports.ts';
import type { BenchDatabase } from './databases.ts';
import { type FilledTopic, newName } from './topic.ts';

const PROGRAM = join(import.meta.dirname, '../../bin/deviations.js');
const LOOK_EVERY_MS = 50;
const LIMIT_MS = 600_000;

/** Where the memory is looked at first, as a share of all: what is flat has not grown from there. */
const EARLY = 0.2;

export interface ConsumerRun {
  /** From the first committed records to the last. */
  readonly perSecond: number;
  readonly clientCpuPerMillion: number;
  readonly backendsCpuPerMillion: number;
  /** What the rest of the database's server used: its log, its checkpoints. */
  readonly restOfServerCpuPerMillion: number;
  /** After a fifth of the records, and the most there ever was. */
  readonly earlyBytes: number;
  readonly peakBytes: number;
  readonly startMs: number;
}

export const runConsumerProcess = async (
  consumer: Consumer,
  { env }: BenchOptions,
  { topic, events, forget }: FilledTopic,
  database: BenchDatabase,
): Promise<ConsumerRun> => {
  const reader = openReader({ url: database.url });
  // A group of its own: an older one with a fresh database would say that the database was lost.
  const group = newName();
  const startedMs = performance.now();
  const running = spawn(process.execPath, [...nodeOptions(), PROGRAM, consumer, '--group', group], {
    env: { ...process.env, ...env, DATABASE_URL: database.url, SESSION_EVENTS_TOPIC: topic, LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const { pid = 0 } = running;
  const ended = once(running, 'exit');

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
      if (running.exitCode !== null) throw new Error(`the ${consumer} ended with ${running.exitCode}`);
      if (performance.now() - startedMs > LIMIT_MS)
        throw new Error(`the ${consumer} was not through in ${LIMIT_MS} ms`);
      await sleep(LOOK_EVERY_MS);
    }
  };

  try {
    const first = await until(1);
    await until(events * EARLY);
    const earlyBytes = residentBytes(pid);
    const last = await until(events);
    const perMillion = (seconds: number): number => (seconds / (last.records - first.records)) * 1e6;
    return {
      perSecond: ((last.records - first.records) / (last.ms - first.ms)) * 1_000,
      clientCpuPerMillion: perMillion(last.client - first.client),
      backendsCpuPerMillion: perMillion(last.backends - first.backends),
      restOfServerCpuPerMillion: perMillion(last.rest - first.rest),
      earlyBytes,
      peakBytes: peakResidentBytes(pid),
      startMs: first.ms - startedMs,
    };
  } finally {
    running.kill('SIGTERM');
    await ended;
    await reader.close();
    await forget(group);
  }
};

/** `BENCH_NODE_OPTIONS="--cpu-prof …"` looks into the sink itself. */
const nodeOptions = (): readonly string[] => (process.env['BENCH_NODE_OPTIONS'] ?? '').split(' ').filter(Boolean);
