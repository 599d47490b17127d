/** One seed of a fault of the producer, and many. */
import { copyFileSync } from 'node:fs';
import type { Ground } from './faults-ground.ts';
import type { Load } from './faults-load.ts';
import type { Judged } from './faults-oracle.ts';
import { type Rng, rngOf } from './faults-rng.ts';
import { createLoad } from './faults-load.ts';
import { type Tally, trySeeds } from './faults-tries.ts';

export interface Trial {
  readonly seed: number;
  readonly rng: Rng;
  readonly load: Load;
  /** Of another engine, with sessions of its own, on the same outbox. */
  readonly otherLoad: Load;
  readonly outboxFile: string;
}

export interface SeedResult extends Judged {
  readonly seed: number;
  readonly refused: number;
  /** Records on the topic beyond one for each event. */
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

/** Every seed in turn; the first one that is wrong ends it, and is named. */
export const runSeeds = (name: string, run: (seed: number) => Promise<SeedResult>): Promise<Tally> =>
  trySeeds(name, async (seed) => {
    const { verdict, accepted, stored, setAside, refused, duplicates } = await run(seed);
    return { verdict: { ...verdict }, tally: { accepted, stored, setAside, refused, duplicates } };
  });
