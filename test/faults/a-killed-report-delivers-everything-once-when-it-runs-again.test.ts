/** `deviations report` is killed at any moment and run again with the same input, until it ends: everything, once. */
import { existsSync } from 'node:fs';
import { expect } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { readOutboxStatus } from '../../producer/index.ts';
import { describeFault, FAULT_LIMIT_MS, isCaught } from '../support/faults-fault.ts';
import type { Mutant } from '../support/faults-mutants.ts';
import { NOTHING_WRONG } from '../support/faults-oracle.ts';
import { startReporter } from '../support/faults-reporter.ts';
import { runSeed, type SeedResult, type Trial } from '../support/faults-seeds.ts';
import { waitFor } from '../support/wait-for.ts';

const fault = describeFault('report-killed');

const MOMENTS = ['while it starts', 'between answers', 'while it drains', 'once rows have gone'] as const;
type Moment = (typeof MOMENTS)[number];

const hasRelayed = (file: string): boolean => existsSync(file) && readOutboxStatus(file).relayed > 0;

const scenario =
  (mutant?: Mutant, always?: Moment) =>
  async ({ rng, load, outboxFile }: Trial): Promise<void> => {
    const count = rng.between(20, 60);
    const run = () => {
      const reporter = startReporter(fault.ground(), { outboxFile, broker: fault.ground().broker, mutant });
      const told = Array.from({ length: count }, async (_, n) => load.heard(n, await reporter.tell(load.reportNo(n))));
      return { reporter, told: Promise.all(told) };
    };
    for (let kills = rng.between(1, 3); kills > 0; kills -= 1) {
      const { reporter, told } = run();
      const moment = always ?? rng.pick(MOMENTS);
      if (moment === 'while it starts') await sleep(rng.between(0, 600));
      else {
        const answers = moment === 'between answers' ? rng.between(1, count - 1) : count;
        if (moment === 'while it drains') reporter.end();
        const seen = (): string => reporter.stderr();
        await waitFor('its answers', () => reporter.answers() >= answers || !reporter.isRunning(), { seen });
        if (moment === 'once rows have gone') await waitFor('a row to go', () => hasRelayed(outboxFile), { seen });
        await sleep(rng.between(0, 60));
      }
      reporter.kill('SIGKILL');
      await reporter.ended();
      await told;
    }
    const { reporter, told } = run();
    reporter.end();
    expect({ code: await reporter.ended(), stderr: reporter.stderr() }).toMatchObject({ code: 0 });
    await told;
    expect(load.accepted()).toHaveLength(count);
  };

fault.test(
  'every report of the input is stored once, whenever the process was killed',
  async () => {
    expect(await fault.trials((trial) => scenario()(trial))).toMatchObject({ setAside: 0, refused: 0 });
  },
  FAULT_LIMIT_MS,
);

const tryMutant = (mutant: Mutant, seed: number): Promise<SeedResult> =>
  runSeed(
    fault.ground(),
    mutant,
    seed,
    scenario(mutant, 'once rows have gone'),
    fault.ground().outboxFile(1_000 * (mutant.length + seed)),
  );

fault.test(
  'the oracle finds nothing in a producer put together rightly',
  async () => {
    expect((await tryMutant('none', 2)).verdict).toEqual(NOTHING_WRONG);
  },
  FAULT_LIMIT_MS,
);

fault.test(
  'a producer that remembers no id is caught: it takes the same call twice',
  async () => {
    const acceptsTwice = async (seed: number) =>
      (await tryMutant('remembers no id', seed)).verdict.miscounted.some((count) => count.startsWith('accepted'));
    expect(await isCaught(acceptsTwice)).toBe(true);
  },
  FAULT_LIMIT_MS,
);
