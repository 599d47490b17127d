/** The frame of a test file about the consumers: its servers, its seeds, and the mutants beside them. */
import { afterAll, beforeAll, test } from '@jest/globals';
import { type OwnPostgres, startPostgres } from './embedded-postgres.ts';
import { unless } from './faults-places.ts';
import { type Rng, rngOf } from './faults-rng.ts';
import { STORES, type StoreKind } from './faults-sink-database.ts';
import { type LoadShape, shapeOf } from './faults-sink-load.ts';
import type { Mutant } from './faults-sink-mutants.ts';
import { openPlace, type SinkPlace, type Starting } from './faults-sink-place.ts';
import { isClean, SEEDS, SEEDS_LIMIT_MS, type Tally, type Tried, trySeeds } from './faults-tries.ts';
import { enterScene, type Scene } from './stack-scene.ts';
import { waitFor } from './wait-for.ts';

export { SEEDS_LIMIT_MS as FAULT_LIMIT_MS } from './faults-tries.ts';

/** Does the fault to a sink; started in the end, or ended by it. `start` is the product's or a mutant's. */
export type SinkScenario = (
  place: SinkPlace,
  start: (starting?: Starting) => ReturnType<SinkPlace['start']>,
) => Promise<void>;

export interface SinkFaultOptions {
  readonly unless?: string | undefined;
  readonly stores?: readonly [StoreKind, ...StoreKind[]];
  readonly partitions?: (rng: Rng) => number;
  readonly shape?: (rng: Rng) => LoadShape;
  /** How many seeds at once: most of a seed is waiting. */
  readonly atOnce?: number;
  /** Where one seed does what others do in so many. */
  readonly seedsInOne?: number;
  /** Before the scene is entered: a broker of its own. */
  readonly openServers?: () => Promise<void>;
  readonly stopServers?: () => Promise<void>;
}

export interface SinkFault {
  readonly test: typeof test;
  readonly server: () => OwnPostgres;
  seeds(scenario: SinkScenario): Promise<Tally>;
  /** What is wrong with one seed of a build with something wrong in it. */
  mutant(mutant: Mutant, scenario: SinkScenario, options?: MutantOptions): Promise<Tried['verdict']>;
  /** Whether the mutant is caught by any of a few seeds: chance decides whether one meets it. */
  isCaught(mutant: Mutant, scenario: SinkScenario, options?: MutantOptions): Promise<boolean>;
}

export interface MutantOptions {
  readonly seed?: number;
  readonly store?: StoreKind;
  readonly shape?: LoadShape;
}

const MUTANT_SEEDS = 6;
const START_LIMIT_MS = 180_000;

/** Called once in a fault's test file. */
export const describeSinkFault = (name: string, options: SinkFaultOptions = {}): SinkFault => {
  const {
    stores = STORES,
    partitions = (rng) => rng.between(1, 3),
    shape = shapeOf,
    atOnce = 3,
    seedsInOne = 1,
  } = options;
  const seeds = Math.ceil(SEEDS / seedsInOne);
  let [scene, server]: [Scene?, OwnPostgres?] = [];
  const have = <T>(thing: T | undefined): T => {
    if (thing === undefined) throw new Error(`the servers of ${name} are not there`);
    return thing;
  };
  let opened = 0;

  beforeAll(async () => {
    if (options.unless !== undefined) return;
    await options.openServers?.();
    [scene, server] = await Promise.all([enterScene(name, { bare: true }), startPostgres()]);
    const { run } = scene;
    await waitFor('the schemas to be registered', async () => (await run(['schema', 'register'])).code === 0);
  }, START_LIMIT_MS);
  afterAll(async () => {
    await scene?.leave();
    await server?.remove();
    await options.stopServers?.();
  }, SEEDS_LIMIT_MS);

  const tryOne = async (
    seed: number,
    scenario: SinkScenario,
    mutant?: Mutant,
    given: MutantOptions = {},
  ): Promise<Tried> => {
    const rng = rngOf(seed + 7_919);
    opened += 1;
    const place = await openPlace(have(scene), have(server), {
      name: `${opened}`,
      seed,
      // In turn, so that a few seeds meet each of them.
      store: given.store ?? stores[seed % stores.length] ?? stores[0],
      partitions: partitions(rng),
      shape: given.shape ?? shape(rng),
    });
    try {
      await scenario(place, (starting) => place.start({ mutant, ...starting }));
      return await place.judge();
    } finally {
      await place.close();
    }
  };

  const tryMutant = async (mutant: Mutant, scenario: SinkScenario, given: MutantOptions = {}) =>
    (await tryOne(given.seed ?? 1, scenario, mutant, given)).verdict;

  return {
    test: unless(options.unless, `fault ${name}`, test) as typeof test, // its skipped twin takes the same
    server: () => have(server),
    seeds: (scenario) => trySeeds(name, (seed) => tryOne(seed, scenario), { atOnce, seeds }),
    mutant: tryMutant,
    isCaught: async (mutant, scenario, given) => {
      for (let seed = 1; seed <= MUTANT_SEEDS; seed += 1) {
        if (!isClean(await tryMutant(mutant, scenario, { seed, ...given }))) return true;
      }
      return false;
    },
  };
};
