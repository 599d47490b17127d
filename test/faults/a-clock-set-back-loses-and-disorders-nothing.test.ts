/** The machine's clock is set back, between two runs and in the midst of one: nothing is lost, doubled or out of order. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from '@jest/globals';
import { describeFault, FAULT_LIMIT_MS } from '../support/faults-fault.ts';
import type { Mutant } from '../support/faults-mutants.ts';
import { NOTHING_WRONG } from '../support/faults-oracle.ts';
import { REPOSITORY } from '../support/processes.ts';
import { startReporter } from '../support/faults-reporter.ts';
import { runSeed, type SeedResult, type Trial } from '../support/faults-seeds.ts';

const fault = describeFault('clock-set-back');

const CLOCK = pathToFileURL(join(REPOSITORY, 'test', 'support', 'faults-clock.ts')).href;
const HOUR_MS = 3_600_000;

const scenario =
  (mutant?: Mutant) =>
  async ({ rng, load, outboxFile }: Trial): Promise<void> => {
    const proxy = fault.proxy();
    // Never forward past the seven days of the memory: that is no setting back.
    const back = (): number => -HOUR_MS * rng.pick([1, 5, 24, 24 * 30, 24 * 365]);
    let atStartMs = 0;
    const run = async (from: number, count: number, isBrokerThere: boolean): Promise<void> => {
      proxy.become(isBrokerThere ? 'pass' : 'refuse');
      const thenMs = atStartMs + back();
      const clock = { atStartMs, setAtCall: rng.between(1, 2 * count), thenMs };
      atStartMs = thenMs;
      const reporter = startReporter(fault.ground(), {
        outboxFile,
        broker: proxy.address,
        mutant,
        drainMs: isBrokerThere ? 30_000 : 0,
        nodeArgs: ['--import', CLOCK],
        env: { FAULT_CLOCK: JSON.stringify(clock) },
      });
      const told = Promise.all(
        Array.from({ length: count }, async (_, n) =>
          load.heard(from + n, await reporter.tell(load.reportNo(from + n))),
        ),
      );
      reporter.end();
      expect({ code: await reporter.ended(), stderr: reporter.stderr() }).toMatchObject({
        code: isBrokerThere ? 0 : 4,
      });
      await told;
    };
    const [some, more] = [rng.between(5, 25), rng.between(5, 25)];
    await run(0, some, false);
    await run(some, more, true);
    // The same calls once more, by a clock that stands before the first of them.
    await run(0, some + more, true);
    expect(load.accepted()).toHaveLength(some + more);
  };

fault.test(
  'every report is stored once and in order, and a repeated call is known by every clock',
  async () => {
    expect(await fault.trials((trial) => scenario()(trial))).toMatchObject({ duplicates: 0, setAside: 0, refused: 0 });
  },
  FAULT_LIMIT_MS,
);

const tryMutant = (mutant: Mutant): Promise<SeedResult> =>
  runSeed(fault.ground(), mutant, 1, scenario(mutant), fault.ground().outboxFile(1_000 * mutant.length));

fault.test(
  'the oracle finds nothing in a producer put together rightly',
  async () => {
    expect(await tryMutant('none')).toMatchObject({ verdict: NOTHING_WRONG, duplicates: 0 });
  },
  FAULT_LIMIT_MS,
);

fault.test(
  'a producer that sends in the order of the clock is caught: sessions are out of order',
  async () => {
    expect((await tryMutant('sends in the order of the clock')).verdict.disordered.length).toBeGreaterThan(0);
  },
  FAULT_LIMIT_MS,
);
