/** What a report costs the engine, and how fast the outbox drains. */
import { randomUUID } from 'node:crypto';
import { execFile } from 'node:child_process';
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Producer } from '@platformatic/kafka';
import { createDeviationProducer, type DeviationProducer } from '../producer/index.ts';
import { AGENT_DEVIATION } from '../schemas/index.ts';
import { createRegistry, kafka, registeredId, registerSchemas, silentLog } from '../wire/index.ts';
import { BATCH, bareBatches, loopRate, RELAYED, WARM_BATCHES } from './bare-records.ts';
import { type Figure, ms, percentile, perSecond } from './figures.ts';
import { AT_ONCE, atOnce, type BenchOptions, CLOSE_MS, LIMITS, NOBODY, reporter } from './reports.ts';

const SINGLES = 3_000;
const CONCURRENT = 100_000;
const BARE_KAFKAJS = join(import.meta.dirname, 'bare-kafkajs.ts');
/** Until the connection is given up, after 10 s, and what the draining left to clean up is cleaned up. */
const SETTLE_MS = 15_000;
const IDLE_MS = 40_000;
const timed = async (work: () => Promise<void> | void): Promise<number> => {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
};

/** One page and a bare fdatasync of it: the floor under a durable answer. */
const fdatasyncs = (folder: string, count: number): number[] => {
  const file = openSync(join(folder, 'floor'), 'w');
  const page = Buffer.alloc(4_096);
  const taken: number[] = [];
  for (let i = 0; i < count; i += 1) {
    const begin = performance.now();
    writeSync(file, page);
    fdatasyncSync(file);
    taken.push(performance.now() - begin);
  }
  closeSync(file);
  return taken;
};

const latencies = async (folder: string, producer: DeviationProducer): Promise<readonly Figure[]> => {
  const report = reporter(producer);
  await atOnce(5_000, report);
  const single: number[] = [];
  const floor: number[] = [];
  // Turn about, so that both meet the same noise.
  for (let turn = 0; turn < 30; turn += 1) {
    floor.push(...fdatasyncs(folder, SINGLES / 30));
    for (let i = 0; i < SINGLES / 30; i += 1) single.push(await timed(report));
  }
  const concurrent: number[] = [];
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const tookMs = await timed(() => atOnce(CONCURRENT, async () => void concurrent.push(await timed(report))));
  delay.disable();
  const rate = (CONCURRENT / tookMs) * 1_000;
  const at = (values: readonly number[]) => [0.5, 0.99, 0.999].map((share) => percentile(values, share));
  const [ours50 = 0, ours99 = 0, ours999 = 0] = at(single);
  const [floor50 = 0, floor99 = 0, floor999 = 0] = at(floor);
  const [many50 = 0, many99 = 0, many999 = 0] = at(concurrent);
  return [
    {
      what: 'one report answered, p50',
      ours: ms(ours50),
      beside: `fdatasync ${ms(floor50)}, ${(ours50 / floor50).toFixed(2)} x`,
      target: '<= 2 x',
      isMet: ours50 <= 2 * floor50,
    },
    {
      what: 'one report answered, p99',
      ours: ms(ours99),
      beside: `fdatasync ${ms(floor99)}, ${(ours99 / floor99).toFixed(2)} x`,
      target: '<= 1.5 x',
      isMet: ours99 <= 1.5 * floor99,
    },
    {
      what: 'one report answered, p99.9',
      ours: ms(ours999),
      beside: `fdatasync ${ms(floor999)}`,
      target: '',
      isMet: undefined,
    },
    {
      what: `${AT_ONCE} at once, p50 / p99 / p99.9`,
      ours: [many50, many99, many999].map(ms).join(' / '),
      beside: '',
      target: '',
      isMet: undefined,
    },
    {
      what: `${AT_ONCE} at once, accepted`,
      ours: perSecond(rate),
      beside: '',
      target: '>= 40,000/s',
      isMet: rate >= 40_000,
    },
    {
      what: 'longest block of the event loop, under that load',
      ours: ms(delay.max / 1e6),
      beside: `p99 ${ms(delay.percentile(99) / 1e6)}`,
      target: '',
      isMet: undefined,
    },
  ];
};

const relay = async (folder: string, { env, say }: BenchOptions): Promise<readonly Figure[]> => {
  const settings = { brokers: env.KAFKA_BROKERS.split(',') };
  const registry = createRegistry({ url: env.SCHEMA_REGISTRY_URL });
  await registerSchemas(registry);
  const topic = `bench-${randomUUID().slice(0, 8)}`;
  const cluster = await kafka.openCluster(settings, silentLog);
  await cluster.createTopic(topic, 6, 1);
  const outboxFile = join(folder, 'relay.db');
  try {
    const id = await registeredId(registry, AGENT_DEVIATION);
    const shipped = Number(
      (await promisify(execFile)(process.execPath, [BARE_KAFKAJS, env.KAFKA_BROKERS, topic, String(id)])).stdout,
    );
    say(`bare kafkajs loop: ${perSecond(shipped)}`);

    const batches = bareBatches(id);
    const sender = kafka.createSender(settings, topic, silentLog);
    const mended = await loopRate(batches, (batch) => sender.send(batch));
    await sender.close();
    say(`the same with our mends: ${perSecond(mended)}`);

    const peer = new Producer({ clientId: 'bench', bootstrapBrokers: settings.brokers });
    const peerRate = await loopRate(batches, (batch) =>
      peer.send({
        acks: -1,
        messages: batch.map(({ key, value, headers }) => ({
          topic,
          key: Buffer.from(key),
          value,
          headers: new Map(Object.entries(headers).map(([name, text]) => [Buffer.from(name), Buffer.from(text)])),
        })),
      }),
    );
    await peer.close();
    say(`@platformatic/kafka: ${perSecond(peerRate)}`);

    const shared = {
      agents: ['po'],
      registry: { url: env.SCHEMA_REGISTRY_URL },
      outboxFile,
      outboxLimits: LIMITS,
      topic,
    };
    const filling = createDeviationProducer({ ...shared, kafka: NOBODY });
    await atOnce(RELAYED, reporter(filling));
    await filling.close(CLOSE_MS);
    const draining = createDeviationProducer({ ...shared, kafka: settings });
    const firstMs = await timed(async () => {
      while (((await draining.status()).outbox?.relayed ?? 0) === 0) await sleep(2);
    });
    say(`first rows relayed after ${ms(firstMs)}`);
    while (((await draining.status()).outbox?.relayed ?? 0) < WARM_BATCHES * BATCH) await sleep(2);
    const begun = (await draining.status()).outbox?.relayed ?? 0;
    const oursMs = await timed(async () => {
      if ((await draining.flush(120_000)) !== 0) throw new Error('not drained within 120 s');
    });
    const idleCpu = await idle(IDLE_MS);
    await draining.close(CLOSE_MS);

    const ours = ((RELAYED - begun) / oursMs) * 1_000;
    return [
      {
        what: `relay to the topic, acks=all, batches of ${BATCH}`,
        ours: perSecond(ours),
        beside: `bare kafkajs ${perSecond(shipped)}, ${(ours / shipped).toFixed(2)} x`,
        target: '>= 0.9 x',
        isMet: ours >= 0.9 * shipped,
      },
      {
        what: 'the same beside other loops',
        ours: perSecond(ours),
        beside: `our sender without an outbox ${perSecond(mended)}, ${(ours / mended).toFixed(2)} x; @platformatic/kafka ${perSecond(peerRate)}, ${(ours / peerRate).toFixed(2)} x`,
        target: '',
        isMet: undefined,
      },
      {
        what: 'idle producer, share of a core',
        ours: `${(idleCpu * 100).toFixed(3)} %`,
        beside: '',
        target: '<= 0.5 %',
        isMet: idleCpu <= 0.005,
      },
    ];
  } finally {
    await cluster.deleteTopic(topic);
    await cluster.close();
  }
};

/** The share of one core that this process, its threads included, takes while nothing is asked of it. */
const idle = async (forMs: number): Promise<number> => {
  await sleep(SETTLE_MS);
  const before = process.cpuUsage();
  await sleep(forMs);
  const used = process.cpuUsage(before);
  return (used.user + used.system) / 1_000 / forMs;
};

export const benchProducer = async (options: BenchOptions): Promise<readonly Figure[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  try {
    const producer = createDeviationProducer({
      agents: ['po'],
      kafka: NOBODY,
      registry: { url: 'http://127.0.0.1:1' },
      outboxFile: join(folder, 'latency.db'),
      outboxLimits: LIMITS,
    });
    const first = await latencies(folder, producer);
    await producer.close(CLOSE_MS);
    const second = await relay(folder, options);
    return [...first, ...second];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
