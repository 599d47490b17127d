/** One dependency of a running sink that is taken away for a while and given back, with events coming as long as they can. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { type ForeignMessage, writeTo } from './foreign-writer.ts';
import type { RunningProcess } from './processes.ts';
import { deviationsFrom, projectablesFrom, recordsOf } from './stack-events.ts';
import type { SqlRow } from './stack-database.ts';
import { endsOf } from './topics.ts';
import { waitFor } from './wait-for.ts';

export interface Outage {
  readonly name: 'database' | 'registry' | 'broker';
  readonly topic: string;
  readonly broker: string;
  readonly registryUrl: string;
  readonly sink: RunningProcess;
  readonly select: (sql: string) => Promise<readonly SqlRow[]>;
  /** How often a partition may be claimed: 1 is the same membership, 2 one clean rejoining. */
  readonly mostClaims: number;
  takeAway(): Promise<void>;
  giveBack(): Promise<void>;
}

const PARTITIONS = [0, 1] as const;
const WAVE = 500;
/** While something is away so many come every second. */
const TRICKLE = 20;

const figuresOf = async ({ select, sink }: Outage) => {
  const [row] = await select(
    `select sum(stored) as stored, sum(duplicate) as duplicate, sum(filtered) as filtered,
       sum(quarantined) as quarantined, max(epoch) as epochs from stream_positions`,
  );
  const of = (name: string): number => Number(row?.[name]);
  const lines = sink.log();
  return {
    stored: of('stored'),
    duplicate: of('duplicate'),
    filtered: of('filtered'),
    quarantined: of('quarantined'),
    // One claim: the same membership. Two: one clean rejoin.
    claimsOfAPartition: of('epochs'),
    attempts: lines.filter(({ msg }) => msg === 'holds').length,
    rssMb: Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${sink.pid}/status`, 'utf8'))?.[1]) / 1_024),
  };
};

/** Answers what came of it; throws when anything was lost, doubled, set aside, or needed a hand. */
export const runOutage = async (outage: Outage, seconds: number) => {
  const { topic, broker, registryUrl, sink, select } = outage;
  const ids: string[] = [];
  let foreign = 0;
  let published = 0;
  const records = async (count: number): Promise<readonly ForeignMessage[]> => {
    const events = deviationsFrom(published + 1, count);
    published += count;
    ids.push(...events.map(({ event }) => event.eventId));
    return recordsOf(events, registryUrl);
  };
  const publish = async (messages: readonly ForeignMessage[]): Promise<void> => writeTo(topic, messages, broker);
  const caughtUp = async (): Promise<void> => {
    const ends = await endsOf(topic, broker);
    await waitFor(
      `the sink without its ${outage.name} to reach the ends of the log`,
      async () => {
        const rows = await select('select partition, next_offset from stream_positions').catch(() => []);
        const at = new Map(rows.map((row) => [Number(row.partition), String(row.next_offset)]));
        return PARTITIONS.every((partition) => at.get(partition) === String(ends.get(partition)));
      },
      { limitMs: 120_000, seen: () => sink.stderr().slice(-4_000) },
    );
  };

  await publish(await records(WAVE));
  await caughtUp();
  // Made while the registry can be asked; of a type whose id the sink has not met, on every partition.
  const unseen = (await recordsOf(projectablesFrom(900_001, 4), registryUrl)).map((record, index) => ({
    ...record,
    partition: index % PARTITIONS.length,
  }));
  const trickle = await records(TRICKLE * Math.ceil(seconds));
  const waves = Array.from({ length: Math.ceil(seconds) }, (_, second) =>
    trickle.slice(second * TRICKLE, (second + 1) * TRICKLE),
  );
  const last = await records(WAVE);

  const beganMs = performance.now();
  await outage.takeAway();
  if (outage.name !== 'broker') {
    await publish(unseen);
    foreign += unseen.length;
  }
  for (const wave of waves) {
    if (outage.name !== 'broker') await publish(wave);
    await sleep(1_000);
  }
  await waitFor('the sink to say that it waits', () => sink.log().some(({ msg }) => msg === 'holds'), {
    limitMs: 90_000,
    seen: sink.stderr,
  });
  const during = await figuresOf(outage).catch(() => undefined);
  const awaySeconds = Math.round((performance.now() - beganMs) / 1_000);
  await outage.giveBack();
  const backMs = performance.now();
  if (outage.name === 'broker') for (const wave of waves) await publish(wave);
  await publish(last);
  await caughtUp();
  const backAfterSeconds = Math.round((performance.now() - backMs) / 100) / 10;

  expect(during?.quarantined ?? 0).toBe(0);
  expect((await select('select id from session_events order by id')).map(({ id }) => id)).toEqual([...ids].sort());
  const figures = await figuresOf(outage);
  expect(figures).toMatchObject({ stored: ids.length, duplicate: 0, filtered: foreign, quarantined: 0 });
  expect(figures.claimsOfAPartition).toBeLessThanOrEqual(outage.mostClaims);
  expect(sink.isRunning()).toBe(true);
  return { awaySeconds, backAfterSeconds, ...figures };
};
