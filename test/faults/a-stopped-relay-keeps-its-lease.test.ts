/** Two processes on one outbox, the one that sends stopped and thawed: nothing is lost, and nothing is sent by both. */
import { expect } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { readOutboxStatus } from '../../producer/index.ts';
import { describeFault, FAULT_LIMIT_MS } from '../support/faults-fault.ts';
import type { Mutant } from '../support/faults-mutants.ts';
import { NOTHING_WRONG } from '../support/faults-oracle.ts';
import { type Reporter, startReporter } from '../support/faults-reporter.ts';
import { runSeed, type SeedResult, type Trial } from '../support/faults-seeds.ts';
import { waitFor } from '../support/wait-for.ts';

const fault = describeFault('relay-stopped');

const scenario =
  (mutant?: Mutant) =>
  async ({ rng, load, otherLoad, outboxFile }: Trial): Promise<void> => {
    const processes: Reporter[] = [];
    const start = (): Reporter => {
      const reporter = startReporter(fault.ground(), { outboxFile, broker: fault.ground().broker, mutant });
      processes.push(reporter);
      return reporter;
    };
    try {
      const first = start();
      await load.report(rng.between(3, 10), first.tell);
      await waitFor('the first process to be the relay', () => readOutboxStatus(outboxFile).relayed > 0, {
        seen: () => first.stderr(),
      });
      const second = start();
      await otherLoad.report(rng.between(3, 10), second.tell);
      for (let stops = rng.between(1, 2); stops > 0; stops -= 1) {
        // In the midst of its work, or between two pieces of it.
        const busy = load.report(rng.between(1, 20), first.tell);
        await sleep(rng.between(0, 30));
        first.kill('SIGSTOP');
        const other = otherLoad.report(rng.between(3, 20), second.tell);
        // Not for long: stopped within a transaction it keeps the other from writing, and by ten seconds a send is given up.
        await sleep(rng.between(50, 700));
        first.kill('SIGCONT');
        await Promise.all([busy, other]);
        await Promise.all([
          load.report(rng.between(1, 10), first.tell),
          otherLoad.report(rng.between(1, 10), second.tell),
        ]);
      }
      for (const reporter of processes) reporter.end();
      for (const reporter of processes) {
        expect({ code: await reporter.ended(), stderr: reporter.stderr() }).toMatchObject({ code: 0 });
      }
    } finally {
      for (const reporter of processes) if (reporter.isRunning()) reporter.kill('SIGKILL');
    }
  };

fault.test(
  'every accepted report is stored once, and nothing is on the topic twice',
  async () => {
    expect(await fault.trials((trial) => scenario()(trial))).toMatchObject({ duplicates: 0, setAside: 0 });
  },
  FAULT_LIMIT_MS,
);

const tryMutant = (mutant: Mutant, seed: number): Promise<SeedResult> =>
  runSeed(fault.ground(), mutant, seed, scenario(mutant), fault.ground().outboxFile(1_000 * (mutant.length + seed)));

fault.test(
  'the oracle finds nothing in a producer put together rightly',
  async () => {
    expect(await tryMutant('none', 1)).toMatchObject({ verdict: NOTHING_WRONG, duplicates: 0 });
  },
  FAULT_LIMIT_MS,
);

fault.test(
  'a producer without the lease is caught: both processes send the same rows',
  async () => {
    let duplicates = 0;
    for (let seed = 1; seed <= 12 && duplicates === 0; seed += 1) {
      duplicates = (await tryMutant('has no lease', seed)).duplicates;
    }
    expect(duplicates).toBeGreaterThan(0);
  },
  FAULT_LIMIT_MS,
);
