/** How often a fault is tried, and what came out of it. */
import { appendFileSync, copyFileSync } from 'node:fs';
import type { Ground } from './faults-ground.ts';
import type { Load } from './faults-load.ts';
import { type Judged, NOTHING_WRONG, type Verdict } from './faults-oracle.ts';
import { type Rng, rngOf } from './faults-rng.ts';
import { createLoad } from './faults-load.ts';

/** `npm test` a few, CI more, `npm run faults -- --seeds N` as many as are asked for. */
export const SEEDS = Number(process.env['FAULT_SEEDS'] ?? (process.env['CI'] === 'true' ? 10 : 3));

/** A minute for what surrounds them, and half a minute each: a limit, not a figure. */
export const SEEDS_LIMIT_MS = 120_000 + SEEDS * 45_000;

export interface Trial {
  readonly seed: number;
  readonly rng: Rng;
  readonly load: Load;
  /** Of another engine, with sessions of its own, on the same outbox. */
  readonly otherLoad: Load;
  readonly outboxFile: string;
}

export interface Tally {
  readonly seeds: number;
  readonly accepted: number;
  readonly stored: number;
  readonly setAside: number;
  readonly refused: number;
  /** Records on the topic beyond one for each event. */
  readonly duplicates: number;
}

export interface SeedResult extends Judged {
  readonly seed: number;
  readonly refused: number;
  readonly duplicates: number;
}

/** The outbox of a disk that goes away is judged by its copy; nobody has it open any more. */
export const judgedOn = (file: string, outboxFile: string): void => copyFileSync(file, outboxFile);

/** One seed of a fault: what the scenario does, then the oracle. */
export const runSeed = async (
  ground: Ground,
  name: string,
  seed: number,
  scenario: (trial: Trial) => Promise<void>,
  outboxFile: string = ground.outboxFile(seed),
): Promise<SeedResult> => {
  const rng = rngOf(seed);
  const load = createLoad(`${ground.topic} ${name} ${seed}`, rng);
  const otherLoad = createLoad(`${ground.topic} ${name} ${seed} other`, rng);
  const before = ground.duplicates();
  await scenario({ seed, rng, load, otherLoad, outboxFile });
  const judged = await ground.judge([load, otherLoad], outboxFile);
  const refused = [load, otherLoad].flatMap((one) => [...one.refused.values()]).reduce((sum, count) => sum + count, 0);
  return { ...judged, seed, refused, duplicates: ground.duplicates() - before };
};

export const isClean = (verdict: Verdict): boolean => JSON.stringify(verdict) === JSON.stringify(NOTHING_WRONG);

const isTold = process.env['FAULT_SUMMARY'];

/** Says what a fault came to, on stderr, and in the file that `npm run faults` reads. */
export const tell = (name: string, results: readonly SeedResult[], sinceMs: number): Tally => {
  const sum = (of: (result: SeedResult) => number): number => results.reduce((total, one) => total + of(one), 0);
  const tally = {
    seeds: results.length,
    accepted: sum(({ accepted }) => accepted),
    stored: sum(({ stored }) => stored),
    setAside: sum(({ setAside }) => setAside),
    refused: sum(({ refused }) => refused),
    duplicates: sum(({ duplicates }) => duplicates),
  };
  const seconds = Math.round((performance.now() - sinceMs) / 1_000);
  process.stderr.write(`fault ${name}: ${JSON.stringify(tally)}, ${seconds} s\n`);
  if (isTold !== undefined) appendFileSync(isTold, `${JSON.stringify({ name, ...tally, seconds })}\n`);
  return tally;
};

/** Every seed in turn; the first one that is wrong ends it, and is named. */
export const runSeeds = async (name: string, run: (seed: number) => Promise<SeedResult>): Promise<Tally> => {
  const sinceMs = performance.now();
  const results: SeedResult[] = [];
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const result = await run(seed);
    results.push(result);
    if (!isClean(result.verdict)) {
      tell(name, results, sinceMs);
      throw new Error(`${name}, seed ${seed}: ${JSON.stringify(result)}`);
    }
  }
  return tell(name, results, sinceMs);
};
