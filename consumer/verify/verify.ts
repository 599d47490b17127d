/**
 * Whether every event of the topic arrived exactly once: the part of the log that the sink has read, record by record
 * against table and quarantine, and then every row against the log. Bounded memory, whatever the number of either.
 */
import { kafka, type SchemaLookup } from '../../wire/index.ts';
import { patiently } from '../look/patience.ts';
import type { StoreReader } from '../store/store.ts';
import { contractsFor } from '../stream/contracts.ts';
import type { Judge } from '../stream/judge.ts';
import type { Finding, PartitionSums } from './finding.ts';
import { judgeRecords } from './judge-records.ts';
import { judgeRows } from './judge-rows.ts';
import { createPlaceSet } from './place-set.ts';
import { type PartitionScope, scopeOf } from './scope.ts';

export interface VerifyParts extends kafka.OwnGroupSettings {
  readonly reader: StoreReader;
  readonly lookup: SchemaLookup;
  /** The sink's own. */
  readonly judge: Judge;
  /** Only records that arrived then or later: milliseconds since 1970-01-01 UTC. */
  readonly sinceMs: number | undefined;
  readonly signal: AbortSignal;
  readonly onWait: (code: string) => void;
  /** Offsets that are behind and those there are. */
  readonly onProgress: (done: bigint, all: bigint) => void;
}

/** Records that are compared by one question to the database. */
const CHUNK_RECORDS = 2_000;

const scopeNow = async (parts: VerifyParts): Promise<ReadonlyMap<number, PartitionScope>> => {
  const { topic, reader, sinceMs } = parts;
  const cluster = await kafka.openCluster(parts.kafka, parts.log);
  try {
    const ends = await cluster.ends(topic);
    const since = sinceMs === undefined ? undefined : await cluster.offsetsAt(topic, sinceMs);
    return scopeOf({ ends, positions: await reader.positions(topic), losses: await reader.losses(topic), since });
  } finally {
    await cluster.close();
  }
};

const retentionTook = (scope: PartitionScope, { expected, askedFor }: kafka.ReadPart): Finding | undefined => {
  if (askedFor === expected) return undefined;
  scope.sums.lost += 1;
  const detail =
    askedFor > expected
      ? `deleted up to ${askedFor} while it was read: run it again`
      : 'the topic was made anew while it was read: run it again';
  return { problem: 'lost', partition: scope.sums.partition, offset: expected, eventId: null, detail };
};

/** Yields what is not as it must be; returns the sums of each partition. */
export async function* verify(parts: VerifyParts): AsyncGenerator<Finding, readonly PartitionSums[], undefined> {
  const { topic, signal, onWait } = parts;
  const waiting = { signal, isEndless: false, onWait };
  const scope = await patiently(() => scopeNow(parts), waiting);
  if (scope === undefined) return [];
  const all = [...scope.values()];
  for (const { finding, sums } of all) {
    if (finding === undefined) continue;
    sums.lost += 1;
    yield finding;
  }
  const total = all.reduce((sum, { sums }) => sum + (sums.to - sums.from), 0n);
  const places = createPlaceSet();
  const judging = { topic, reader: parts.reader, judge: parts.judge, places };
  const from = new Map(all.map(({ sums }) => [sums.partition, sums.from]));
  const until = new Map(all.map(({ sums }) => [sums.partition, sums.to]));
  let done = 0n;
  parts.onProgress(done, total);
  for await (const part of kafka.readTopic({ kafka: parts.kafka, topic, log: parts.log, from, until, signal })) {
    const one = scope.get(part.partition);
    if (one === undefined) continue;
    const gap = retentionTook(one, part);
    if (gap !== undefined) yield gap;
    const contracts = await patiently(() => contractsFor(parts.lookup, part.records), waiting);
    if (contracts === undefined) break;
    for (let at = 0; at < part.records.length && !signal.aborted; at += CHUNK_RECORDS) {
      yield* await judgeRecords(judging, one, part.records.slice(at, at + CHUNK_RECORDS), contracts);
    }
    done += part.next - part.expected;
    parts.onProgress(done, total);
  }
  yield* judgeRows({ topic, reader: parts.reader, places, signal }, scope);
  return all.map(({ sums }) => sums);
}
