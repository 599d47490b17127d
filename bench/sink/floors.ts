/** What the parts can do without each other: reading the topic, writing the table. */
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { type FlushRequest, openStore } from '../../consumer/index.ts';
import { contentHash, kafka, schemaId } from '../../wire/index.ts';
import { population } from '../deviations.ts';
import type { BenchOptions } from '../reports.ts';
import type { ConsumeMessage, ReaderName } from './consume-only.ts';
import type { BenchDatabase } from './databases.ts';
import { type FilledTopic, newName, PARTITIONS } from './topic.ts';

export interface Floor {
  readonly perSecond: number;
  /** Of the client and, where there is one, of the database's backends. */
  readonly cpuSecondsPerMillion: number;
}

const cpuSeconds = (since?: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1e6;
};

export interface ConsumeFloor extends Floor {
  /** From the start of the process to the first batch, in milliseconds: joining the group, for the most part. */
  readonly startMs: number;
}

const CONSUMER = join(import.meta.dirname, 'consume-only.ts');

/** As `bin/deviations.js` sets them for the sink. */
const OF_THE_SINK = ['--semi-space-growth-factor=1', '--heap-growing-percent=100'];

/**
 * Our kafkajs with a handler that does nothing, in a process of its own, from its first batch to the last; or the sink's
 * own source, under the sink's own limits of memory.
 */
export const consumeOnly = async (
  { env }: BenchOptions,
  { topic, events, forget }: FilledTopic,
  reader: ReaderName,
): Promise<ConsumeFloor> => {
  const group = newName();
  const startedAtMs = Date.now();
  const running = fork(CONSUMER, [reader, env.KAFKA_BROKERS, topic, group, String(events)], {
    execArgv: reader === 'source' ? OF_THE_SINK : [],
  });
  const ended = once(running, 'exit');
  const failed = ended.then(([code]) => {
    throw new Error(`the process that only consumes ended with ${code}`);
  });
  const [told] = (await Promise.race([once(running, 'message'), failed])) as [ConsumeMessage]; // all that it ever sends
  await ended;
  await forget(group);
  return {
    perSecond: (told.records / told.ms) * 1_000,
    cpuSecondsPerMillion: (told.cpuSeconds / told.records) * 1e6,
    startMs: told.firstAtMs - startedAtMs,
  };
};

/** Rows are made outside of what is timed, so many at a time. */
const CHUNK = 24_000;

type Row = FlushRequest['rows'] extends Iterable<infer R> ? R : never;

/** Our own store, given rows that are judged already: as many partitions at once as the sink has. */
export const writeOnly = async (database: BenchDatabase, events: number, flushRows: number): Promise<Floor> => {
  const store = await openStore({ url: database.url });
  const topic = 'floor';
  const partitions = await Promise.all(
    Array.from({ length: PARTITIONS }, async (_, partition) => {
      const key = { consumer: 'sink', topic, partition } as const;
      const { epoch } = await store.claim(key);
      return { key, epoch, next: 0n };
    }),
  );
  const people = population(events);
  const row = (offset: bigint): Row => {
    const event = people.deviation();
    return {
      event,
      offset: kafka.offset(String(offset)),
      schemaId: schemaId(1),
      contentHash: contentHash(event),
      // An engine without tracing gives none.
      traceId: offset % 2n === 0n ? randomUUID().replaceAll('-', '') : undefined,
      size: 250,
      recordTimeMs: Date.now(),
    };
  };

  const flushesOf = (one: (typeof partitions)[number], rows: number): readonly FlushRequest[] =>
    Array.from({ length: Math.ceil(rows / flushRows) }, (_, index): FlushRequest => {
      const count = Math.min(flushRows, rows - index * flushRows);
      const from = one.next;
      one.next += BigInt(count);
      return {
        ...one.key,
        epoch: one.epoch,
        fromOffset: from === 0n ? undefined : kafka.offset(String(from)),
        rows: Array.from({ length: count }, (_unused, at) => row(from + BigInt(at))),
        changes: [],
        projected: 0,
        quarantine: [],
        filtered: 0,
        nextOffset: kafka.offset(String(one.next)),
        witness: undefined,
      };
    });

  const used = { ms: 0, cpu: 0, server: 0 };
  for (let written = 0; written < events; written += CHUNK) {
    const rows = Math.min(CHUNK, events - written) / PARTITIONS;
    const flushes = partitions.map((one) => flushesOf(one, Math.ceil(rows)));
    const begin = { ms: performance.now(), cpu: process.cpuUsage(), server: database.serverCpu().backendsSeconds };
    await Promise.all(
      flushes.map(async (requests) => {
        for (const request of requests) await store.flush(request);
      }),
    );
    used.ms += performance.now() - begin.ms;
    used.cpu += cpuSeconds(begin.cpu);
    used.server += database.serverCpu().backendsSeconds - begin.server;
  }
  await store.close();
  const total = partitions.reduce((sum, { next }) => sum + Number(next), 0);
  return { perSecond: (total / used.ms) * 1_000, cpuSecondsPerMillion: ((used.cpu + used.server) / total) * 1e6 };
};
