/** The frame of a fault's test file: its ground, its proxy, its seeds, and the mutants beside it. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Ground, type GroundOptions, openGround, type OpenProducer, openReal } from './faults-ground.ts';
import { type Mutant, openMutant } from './faults-mutants.ts';
import { NOTHING_WRONG } from './faults-oracle.ts';
import { unless } from './faults-places.ts';
import { noProxy, type Proxy, startProxy } from './faults-proxy.ts';
import { runSeed, runSeeds, type SeedResult, type Trial } from './faults-seeds.ts';
import { SEEDS_LIMIT_MS, type Tally } from './faults-tries.ts';
import { brokers } from './topics.ts';

export type Scenario = (trial: Trial, open: OpenProducer) => Promise<void>;

export interface Fault {
  readonly ground: () => Ground;
  /** In front of the ground's broker. */
  readonly proxy: () => Proxy;
  /** `test`, skipped where the fault cannot be made. */
  readonly test: typeof test;
  /** The product itself, seed after seed; `each` looks closer at one. */
  seeds(scenario: Scenario, each?: (result: SeedResult) => void): Promise<Tally>;
  /** Likewise, for a scenario that starts the product by itself. */
  trials(scenario: (trial: Trial) => Promise<void>): Promise<Tally>;
  /** One seed of a producer with something wrong in it. */
  mutant(mutant: Mutant, scenario: Scenario, seed?: number): Promise<SeedResult>;
}

export const FAULT_LIMIT_MS = SEEDS_LIMIT_MS;

export interface FaultOptions {
  /** Why it cannot be made here; undefined when it can. */
  readonly unless?: string | undefined;
  /** Starts servers of its own, before the ground is there. */
  readonly openServers?: () => Promise<GroundOptions>;
  readonly stopServers?: () => Promise<void>;
}

/** Called once in a fault's test file. */
export const describeFault = (name: string, options: FaultOptions = {}): Fault => {
  const why = options.unless ?? noProxy(brokers());
  let [ground, proxy]: [Ground?, Proxy?] = [];
  const have = <T>(thing: T | undefined): T => {
    if (thing === undefined) throw new Error(`the ground of ${name} is not there`);
    return thing;
  };
  let tried = 0;

  beforeAll(async () => {
    if (why !== undefined) return;
    ground = await openGround(name, await options.openServers?.());
    proxy = await startProxy(ground.broker);
  }, 180_000);
  afterAll(async () => {
    await proxy?.stop();
    await ground?.leave();
    await options.stopServers?.();
  }, 120_000);

  return {
    ground: () => have(ground),
    proxy: () => have(proxy),
    test: unless(why, `fault ${name}`, test) as typeof test, // its skipped twin takes the same
    seeds: (scenario, each) =>
      runSeeds(name, async (seed) => {
        const result = await runSeed(have(ground), name, seed, (trial) => scenario(trial, openReal));
        each?.(result);
        return result;
      }),
    trials: (scenario) => runSeeds(name, (seed) => runSeed(have(ground), name, seed, scenario)),
    mutant: (mutant, scenario, seed = 1) => {
      tried += 1;
      const file = have(ground).outboxFile(1_000 + tried);
      return runSeed(have(ground), `mutant ${tried}`, seed, (trial) => scenario(trial, openMutant(mutant)), file);
    },
  };
};

/** Chance decides whether one seed meets the mutant's fault, on a busy machine above all: so many seeds must meet it once. */
const MUTANT_SEEDS = 8;

/** Whether a mutant is caught by any of the seeds. */
export const isCaught = async (trySeed: (seed: number) => Promise<boolean>): Promise<boolean> => {
  for (let seed = 1; seed <= MUTANT_SEEDS; seed += 1) if (await trySeed(seed)) return true;
  return false;
};

/** The composed producer itself must pass, else a mutant's failure would prove nothing. */
export const expectNoMutantIsFine = async (fault: Fault, scenario: Scenario): Promise<void> => {
  expect((await fault.mutant('none', scenario)).verdict).toEqual(NOTHING_WRONG);
};
