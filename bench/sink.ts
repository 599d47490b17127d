/**
 * What the sink can do on both stores, from a filled topic to committed rows, beside the floors of the same run. Parts:
 * throughput, filter, graph, paced; sqlite, postgresql; and, only when it is named, peer (needs Java and Maven).
 */
import { type Figure, megabytes, ms, percentile, perSecond } from './figures.ts';
import type { BenchOptions } from './reports.ts';
import { type BenchDatabase, type BenchStore, openStores } from './sink/databases.ts';
import { runDebezium } from './sink/debezium.ts';
import { consumeOnly, type Floor, writeOnly } from './sink/floors.ts';
import { withChain } from './sink/open-loop.ts';
import { type ConsumerRun, runConsumerProcess } from './sink/run-consumer-process.ts';
import { type FilledTopic, fillTopic } from './sink/topic.ts';

/** As many rows as the sink puts into one transaction. */
const FLUSH_ROWS = 2_000;
const PACE = 500;
const PACED_SECONDS = 10;

const PARTS = ['throughput', 'filter', 'graph', 'paced', 'peer'] as const;
const PEER_BATCHES = [500, 2_000] as const;
const OF_PEER = 2;

const TARGETS = {
  SQLite: { ofFloor: 0.7, cpu: 12 },
  PostgreSQL: { ofFloor: 0.85, cpu: 15 },
} as const;
const OF_CONSUMING = 0.9;
const MAX_RESIDENT = 150 * 1_048_576;

const cpu = (seconds: number): string => `${seconds.toFixed(1)} s`;
const times = (ours: number, other: number): string => `${(ours / other).toFixed(2)} x`;

const inFresh = async <T>(store: BenchStore, work: (database: BenchDatabase) => Promise<T>): Promise<T> => {
  const database = await store.create();
  try {
    return await work(database);
  } finally {
    await database.remove();
  }
};

const memoryFigure = (what: string, ours: ConsumerRun): Figure => ({
  what: `${what}, most resident`,
  ours: megabytes(ours.peakBytes),
  beside: `after a fifth ${megabytes(ours.earlyBytes)}; first position ${ms(ours.startMs)} after the start`,
  target: '<= 150 MB',
  isMet: ours.peakBytes <= MAX_RESIDENT,
});

const storeFigures = (name: BenchStore['name'], ours: ConsumerRun, floor: Floor): readonly Figure[] => {
  const target = TARGETS[name];
  const used = ours.clientCpuPerMillion + ours.backendsCpuPerMillion;
  return [
    {
      what: `${name}: topic to committed rows`,
      ours: perSecond(ours.perSecond),
      beside: `write only ${perSecond(floor.perSecond)}, ${times(ours.perSecond, floor.perSecond)}`,
      target: `>= ${target.ofFloor} x`,
      isMet: ours.perSecond >= target.ofFloor * floor.perSecond,
    },
    {
      what: `${name}: CPU a million rows, sink + backends`,
      ours: `${cpu(ours.clientCpuPerMillion)} + ${cpu(ours.backendsCpuPerMillion)}`,
      beside: `write only ${cpu(floor.cpuSecondsPerMillion)}; rest of the server ${cpu(ours.restOfServerCpuPerMillion)}`,
      target: `<= ${target.cpu} s`,
      isMet: used <= target.cpu,
    },
    memoryFigure(`${name}: sink`, ours),
  ];
};

const pacedFigure = (name: string, pace: number, taken: readonly number[], hasTarget: boolean): Figure => {
  const [p50 = 0, p99 = 0, p999 = 0] = [0.5, 0.99, 0.999].map((share) => percentile(taken, share));
  return {
    what: `${name}: report to committed row at ${pace}/s, p50 / p99 / p99.9`,
    ours: [p50, p99, p999].map(ms).join(' / '),
    beside: `${taken.length} reports`,
    target: hasTarget ? '<= 2 ms / <= 10 ms' : '',
    isMet: hasTarget ? p50 <= 2 && p99 <= 10 : undefined,
  };
};

/** At the pace that has a target, and at half of what this machine takes through all of it. */
const paced = (options: BenchOptions, store: BenchStore): Promise<readonly Figure[]> =>
  inFresh(store, (database) =>
    withChain(options, database, async ({ capacity, openLoop }) => {
      // First, for a broker that has just started is slow until its code is compiled.
      const most = await capacity();
      options.say(`${store.name}, report to committed row, 64 at once: ${perSecond(most)}`);
      const atPace = await openLoop(PACE, PACED_SECONDS);
      const half = Math.round(most / 2);
      const atHalf = await openLoop(half, PACED_SECONDS);
      return [pacedFigure(store.name, PACE, atPace, true), pacedFigure(store.name, half, atHalf, false)];
    }),
  );

const filtering = async (options: BenchOptions, store: BenchStore): Promise<readonly Figure[]> => {
  const foreign = await fillTopic(options, options.events, 1);
  try {
    const floor = await consumeOnly(options, foreign, 'client');
    const source = await consumeOnly(options, foreign, 'source');
    const ours = await inFresh(store, (database) => runConsumerProcess('sink', options, foreign, database));
    return [
      {
        what: `${store.name}: passing over foreign types`,
        ours: perSecond(ours.perSecond),
        beside: `consume only ${perSecond(floor.perSecond)}, ${times(ours.perSecond, floor.perSecond)}; CPU ${cpu(ours.clientCpuPerMillion)} against ${cpu(floor.cpuSecondsPerMillion)}; start apart, ${ms(ours.startMs)} against ${ms(floor.startMs)}`,
        target: `>= ${OF_CONSUMING} x`,
        isMet: ours.perSecond >= OF_CONSUMING * floor.perSecond,
      },
      {
        what: `${store.name}: the same beside its own source, with the sink's fetches and heap`,
        ours: perSecond(ours.perSecond),
        beside: `source only ${perSecond(source.perSecond)}, ${times(ours.perSecond, source.perSecond)}; CPU ${cpu(source.cpuSecondsPerMillion)}`,
        target: '',
        isMet: undefined,
      },
    ];
  } finally {
    await foreign.remove();
  }
};

/** The other consumer: half of the topic are deviations, which it passes over. */
const projecting = async (options: BenchOptions, store: BenchStore): Promise<readonly Figure[]> => {
  const mixed = await fillTopic(options, options.events, 0.5);
  try {
    const ours = await inFresh(store, (database) => runConsumerProcess('graph', options, mixed, database));
    return [
      {
        what: `${store.name}: graph, half of the topic projected`,
        ours: perSecond(ours.perSecond),
        beside: `CPU ${cpu(ours.clientCpuPerMillion)} + ${cpu(ours.backendsCpuPerMillion)} a million`,
        target: '',
        isMet: undefined,
      },
      memoryFigure(`${store.name}: graph`, ours),
    ];
  } finally {
    await mixed.remove();
  }
};

const throughput = async (options: BenchOptions, store: BenchStore, filled: FilledTopic) => {
  const floor = await inFresh(store, (database) => writeOnly(database, options.events, FLUSH_ROWS));
  options.say(`${store.name}, write only: ${perSecond(floor.perSecond)}, ${cpu(floor.cpuSecondsPerMillion)} a million`);
  const ours = await inFresh(store, (database) => runConsumerProcess('sink', options, filled, database));
  options.say(`${store.name}, sink: ${perSecond(ours.perSecond)}`);
  return storeFigures(store.name, ours, floor);
};

/** Both into tables without and with an index for each filter: ours has them, the peer's users may do without. */
const besidePeer = async (options: BenchOptions, store: BenchStore): Promise<readonly Figure[]> => {
  const filled = await fillTopic(options, options.events, 0);
  try {
    const ours = await inFresh(store, (database) => runConsumerProcess('sink', options, filled, database));
    const figures: Figure[] = [];
    for (const withIndexes of [true, false]) {
      const runs = [];
      for (const batch of PEER_BATCHES) {
        const run = await inFresh(store, (database) => runDebezium(options, filled, database, batch, withIndexes));
        options.say(`Debezium, batches of ${batch}${withIndexes ? ', indexed' : ''}: ${perSecond(run.perSecond)}`);
        runs.push(run);
      }
      const best = runs.reduce((a, b) => (a.perSecond > b.perSecond ? a : b));
      figures.push({
        what: `${store.name}: beside Debezium JDBC, its table ${withIndexes ? 'with the indexes of ours' : 'with its key alone'}`,
        ours: `${perSecond(ours.perSecond)}, CPU ${cpu(ours.clientCpuPerMillion + ours.backendsCpuPerMillion)}`,
        beside: `${perSecond(best.perSecond)}, ${times(ours.perSecond, best.perSecond)}; CPU ${cpu(best.cpuPerMillion)}; first row after ${ms(best.firstRowMs)}`,
        target: withIndexes ? `>= ${OF_PEER} x` : '',
        isMet: withIndexes ? ours.perSecond >= OF_PEER * best.perSecond : undefined,
      });
    }
    return figures;
  } finally {
    await filled.remove();
  }
};

export const benchSink = async (options: BenchOptions): Promise<readonly Figure[]> => {
  const figures: Figure[] = [];
  const parts = PARTS.filter((part) => options.parts.includes(part));
  const asked = (part: (typeof PARTS)[number]): boolean =>
    parts.length === 0 ? part !== 'peer' : parts.includes(part);
  const all = await openStores();
  const named = all.filter(({ name }) => options.parts.includes(name.toLowerCase()));
  const stores = named.length === 0 ? all : named;
  try {
    if (asked('throughput')) {
      const filled = await fillTopic(options, options.events, 0);
      try {
        const floor = await consumeOnly(options, filled, 'client');
        options.say(`consume only: ${perSecond(floor.perSecond)}, ${cpu(floor.cpuSecondsPerMillion)} a million`);
        for (const store of stores) figures.push(...(await throughput(options, store, filled)));
      } finally {
        await filled.remove();
      }
    }
    for (const store of stores) {
      if (asked('filter')) figures.push(...(await filtering(options, store)));
      if (asked('graph')) figures.push(...(await projecting(options, store)));
      if (asked('peer') && store.name === 'PostgreSQL') figures.push(...(await besidePeer(options, store)));
      if (!asked('paced')) continue;
      figures.push(...(await paced(options, store)));
    }
  } finally {
    for (const store of all) await store.close();
  }
  return figures;
};
