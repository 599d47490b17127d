/**
 * From the report to the committed row, producer, broker, sink and database on this one machine. Open loop: reports come at
 * their own pace whatever the answers; every one due is made at once, and its clock starts then.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openReader } from '../../consumer/index.ts';
import { createDeviationProducer } from '../../producer/index.ts';
import { population } from '../deviations.ts';
import { atOnce, type BenchOptions, CLOSE_MS, LIMITS } from '../reports.ts';
import type { BenchDatabase } from './databases.ts';
import type { Stamp, StampMessage } from './stamping-sink.ts';
import { fillTopic, newName, PARTITIONS } from './topic.ts';

const STAMPING_SINK = join(import.meta.dirname, 'stamping-sink.ts');
/** Of the first reports nothing is kept: connections are made, code is compiled. */
const WARM_UP_SECONDS = 2;
const LIMIT_MS = 60_000;

/** When the row at this offset was committed, by the stamps of its partition. */
const committedAt = (stamps: readonly Stamp[], offset: bigint): number => {
  let [from, to] = [0, stamps.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (BigInt(stamps[middle]?.next ?? 0) > offset) to = middle;
    else from = middle + 1;
  }
  return Number(stamps[from]?.atNs ?? Number.NaN);
};

/** So many at once, for the chain's own pace. */
const CAPACITY_REPORTS = 50_000;

export interface Chain {
  /** Rows a second when as many reports wait as there may be: 64 at once, each followed by the next. */
  capacity(): Promise<number>;
  /** Milliseconds of each report at this pace. */
  openLoop(perSecond: number, forSeconds: number): Promise<readonly number[]>;
}

/** A producer and a sink, each with what it needs, for as long as the work takes. */
export const withChain = async <T>(
  options: BenchOptions,
  database: BenchDatabase,
  work: (chain: Chain) => Promise<T>,
): Promise<T> => {
  const { env } = options;
  const { topic, forget, remove } = await fillTopic(options, 0, 0);
  const group = newName();
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const stamps = Array.from({ length: PARTITIONS }, (): Stamp[] => []);
  const claimed = new Set<number>();
  const sink = fork(STAMPING_SINK, [env.KAFKA_BROKERS, env.SCHEMA_REGISTRY_URL, database.url, topic, group], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  sink.on('message', (message: StampMessage) => {
    if ('claimed' in message) claimed.add(message.claimed);
    else for (const stamp of message.stamps) stamps[stamp.partition]?.push(stamp);
  });
  const ended = once(sink, 'exit');
  const until = async (what: string, isSo: () => boolean): Promise<void> => {
    const deadline = performance.now() + LIMIT_MS;
    while (!isSo()) {
      if (performance.now() > deadline || sink.exitCode !== null) throw new Error(`waited in vain for ${what}`);
      await sleep(20);
    }
  };

  const people = population(CAPACITY_REPORTS);
  const producer = createDeviationProducer({
    agents: people.agentes,
    kafka: { brokers: env.KAFKA_BROKERS.split(',') },
    registry: { url: env.SCHEMA_REGISTRY_URL },
    outboxFile: join(folder, 'outbox.db'),
    outboxLimits: LIMITS,
    topic,
  });

  let calls = 0;
  /** Answers the event id. */
  const report = async (): Promise<string> => {
    const { sessionId, projectId, agente, tipo, evidenceEventIds } = people.deviation();
    calls += 1;
    const answer = await producer.report({
      context: { sessionId, projectId, toolCallId: `call-${calls}` },
      input: { agente, tipo, evidenceEventIds },
    });
    if (!answer.recorded) throw new Error(`not recorded: ${answer.code}`);
    return answer.eventId;
  };
  const allStored = (): Promise<void> =>
    until('every report to become a row', () => {
      const stored = stamps.reduce((sum, of) => sum + BigInt(of.at(-1)?.next ?? 0), 0n);
      return stored >= BigInt(calls);
    });

  const openLoop = async (perSecond: number, forSeconds: number): Promise<readonly number[]> => {
    const begun = new Map<string, bigint>();
    const answers: Promise<void>[] = [];
    const timedReport = async (isMeasured: boolean): Promise<void> => {
      const beganNs = process.hrtime.bigint();
      const eventId = await report();
      if (isMeasured) begun.set(eventId, beganNs);
    };
    const beganMs = performance.now();
    const warmUp = WARM_UP_SECONDS * perSecond;
    const total = warmUp + Math.round(forSeconds * perSecond);
    for (let made = 0; made < total; ) {
      for (const due = ((performance.now() - beganMs) / 1_000) * perSecond; made < total && made <= due; made += 1) {
        answers.push(timedReport(made >= warmUp));
      }
      await sleep(1);
    }
    await Promise.all(answers);
    await allStored();

    const reader = openReader({ url: database.url });
    const rows = await reader.deviations({});
    await reader.close();
    return rows.flatMap(({ eventId, partition, offset }) => {
      const beganNs = begun.get(eventId);
      if (beganNs === undefined) return [];
      return [(committedAt(stamps[partition] ?? [], BigInt(offset)) - Number(beganNs)) / 1e6];
    });
  };

  const capacity = async (): Promise<number> => {
    const beganMs = performance.now();
    await atOnce(CAPACITY_REPORTS, async () => void (await report()));
    await allStored();
    return (CAPACITY_REPORTS / (performance.now() - beganMs)) * 1_000;
  };

  try {
    await until('the sink to claim its partitions', () => claimed.size === PARTITIONS);
    return await work({ capacity, openLoop });
  } finally {
    await producer.close(CLOSE_MS);
    sink.disconnect();
    await ended;
    await forget(group);
    await remove();
    rmSync(folder, { recursive: true, force: true });
  }
};
