/**
 * From the report to the committed row, with reports that come at their own pace whatever the answers: every one due is
 * made at once, and its clock starts then.
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
import { type BenchOptions, CLOSE_MS, LIMITS } from '../reports.ts';
import type { BenchDatabase } from './databases.ts';
import type { Stamp, StampMessage } from './stamping-sink.ts';
import { fillTopic, newName, PARTITIONS } from './topic.ts';

const STAMPING_SINK = join(import.meta.dirname, 'stamping-sink.ts');
/** Of the first reports nothing is kept: connections are made, code is compiled. */
const WARM_UP_SECONDS = 2;
const LIMIT_MS = 60_000;

/** When the row at this offset was committed. */
const committedAt = (stamps: readonly Stamp[], partition: number, offset: bigint): number => {
  const stamp = stamps.find((one) => one.partition === partition && BigInt(one.next) > offset);
  return stamp === undefined ? Number.NaN : Number(stamp.atNs);
};

/** Milliseconds of each report. */
export const openLoop = async (
  options: BenchOptions,
  database: BenchDatabase,
  perSecond: number,
  forSeconds: number,
): Promise<readonly number[]> => {
  const { env } = options;
  const { topic, forget, remove } = await fillTopic(options, 0, 0);
  const group = newName();
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const stamps: Stamp[] = [];
  const claimed = new Set<number>();
  const sink = fork(STAMPING_SINK, [env.KAFKA_BROKERS, env.SCHEMA_REGISTRY_URL, database.url, topic, group], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  sink.on('message', (message: StampMessage) => {
    if ('claimed' in message) claimed.add(message.claimed);
    else stamps.push(...message.stamps);
  });
  const ended = once(sink, 'exit');
  const until = async (what: string, isSo: () => boolean): Promise<void> => {
    const deadline = performance.now() + LIMIT_MS;
    while (!isSo()) {
      if (performance.now() > deadline || sink.exitCode !== null) throw new Error(`waited in vain for ${what}`);
      await sleep(20);
    }
  };

  const people = population(perSecond * forSeconds);
  const producer = createDeviationProducer({
    agents: people.agentes,
    kafka: { brokers: env.KAFKA_BROKERS.split(',') },
    registry: { url: env.SCHEMA_REGISTRY_URL },
    outboxFile: join(folder, 'outbox.db'),
    outboxLimits: LIMITS,
    topic,
  });
  try {
    await until('the sink to claim its partitions', () => claimed.size === PARTITIONS);
    const begun = new Map<string, bigint>();
    const answers: Promise<void>[] = [];
    const report = async (call: number): Promise<void> => {
      const { sessionId, projectId, agente, tipo, evidenceEventIds } = people.deviation();
      const beganNs = process.hrtime.bigint();
      const answer = await producer.report({
        context: { sessionId, projectId, toolCallId: `call-${call}` },
        input: { agente, tipo, evidenceEventIds },
      });
      if (!answer.recorded) throw new Error(`not recorded: ${answer.code}`);
      begun.set(answer.eventId, beganNs);
    };
    const beganMs = performance.now();
    const total = (WARM_UP_SECONDS + forSeconds) * perSecond;
    for (let made = 0; made < total; ) {
      for (const due = ((performance.now() - beganMs) / 1_000) * perSecond; made < total && made <= due; made += 1) {
        answers.push(report(made));
      }
      await sleep(1);
    }
    await Promise.all(answers);
    const stored = (): bigint => {
      const last = new Map<number, bigint>();
      for (const { partition, next } of stamps) last.set(partition, BigInt(next));
      return [...last.values()].reduce((sum, next) => sum + next, 0n);
    };
    await until('every report to become a row', () => stored() >= BigInt(total));

    const reader = openReader({ url: database.url });
    const rows = await reader.deviations({});
    await reader.close();
    const first = WARM_UP_SECONDS * perSecond;
    const order = [...begun.keys()];
    const measured = new Set(order.slice(first));
    return rows
      .filter(({ eventId }) => measured.has(eventId))
      .map(({ eventId, partition, offset }) => {
        const beganNs = begun.get(eventId) ?? 0n;
        return (committedAt(stamps, partition, BigInt(offset)) - Number(beganNs)) / 1e6;
      });
  } finally {
    await producer.close(CLOSE_MS);
    sink.disconnect();
    await ended;
    await forget(group);
    await remove();
    rmSync(folder, { recursive: true, force: true });
  }
};
