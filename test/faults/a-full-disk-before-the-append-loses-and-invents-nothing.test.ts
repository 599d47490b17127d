/** The disk is full when a report comes: it is refused and is nowhere; what was accepted before goes, and reports go on. */
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { describeFault, expectNoMutantIsFine, FAULT_LIMIT_MS, type Scenario } from '../support/faults-fault.ts';
import { mountSmallDisk, noMounts } from '../support/faults-places.ts';
import type { ProxyMode } from '../support/faults-proxy.ts';
import type { Rng } from '../support/faults-rng.ts';
import { judgedOn } from '../support/faults-seeds.ts';
import { waitFor } from '../support/wait-for.ts';

const fault = describeFault('disk-full-before-append', { unless: noMounts });

const fillingUp =
  (mode: (rng: Rng) => ProxyMode): Scenario =>
  async ({ rng, load, outboxFile }, open) => {
    const disk = mountSmallDisk(8_000_000);
    try {
      const file = join(disk.path, 'outbox.db');
      const proxy = fault.proxy();
      proxy.become(mode(rng));
      const producer = open(fault.ground(), { outboxFile: file, broker: proxy.address });
      try {
        const tell = producer.report.bind(producer);
        await load.report(rng.between(1, 30), tell);
        disk.fill(4_096 * rng.between(0, 8));
        await waitFor('a refusal', async () => {
          await load.report(rng.between(5, 20), tell);
          return load.refused.has('OUTBOX_UNAVAILABLE');
        });
        // As often as the engine likes to try.
        await load.report(rng.between(1, 10), tell);
        disk.empty();
        proxy.become('pass');
        await load.report(rng.between(1, 30), tell);
        await producer.flush(30_000);
      } finally {
        await producer.close(1_000);
      }
      judgedOn(file, outboxFile);
    } finally {
      disk.remove();
    }
  };

const scenario = fillingUp((rng) => rng.pick(['pass', 'refuse']));

fault.test(
  'every accepted report is stored once, and no refused one is',
  async () => {
    const tally = await fault.seeds(scenario, ({ refused }) => expect(refused).toBeGreaterThan(0));
    expect(tally).toMatchObject({ duplicates: 0, setAside: 0 });
  },
  FAULT_LIMIT_MS,
);

fault.test('the oracle finds nothing in a producer put together rightly', () => expectNoMutantIsFine(fault, scenario));

fault.test('a producer that sends before it appends is caught: what it refused is stored', async () => {
  const { verdict } = await fault.mutant(
    'sends before it appends',
    fillingUp(() => 'pass'),
  );
  expect(verdict.extra.length).toBeGreaterThan(0);
});
