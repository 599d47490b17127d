/** The disk is full when acknowledged rows should leave: they are remembered, not sent again, and leave when there is room. */
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  describeFault,
  expectNoMutantIsFine,
  FAULT_LIMIT_MS,
  isCaught,
  type Scenario,
} from '../support/faults-fault.ts';
import { mountSmallDisk, noMounts } from '../support/faults-places.ts';
import { judgedOn } from '../support/faults-seeds.ts';
import { waitFor } from '../support/wait-for.ts';

const fault = describeFault('disk-full-after-acknowledgement', { unless: noMounts });

const scenario: Scenario = async ({ rng, load, outboxFile }, open) => {
  const disk = mountSmallDisk(8_000_000);
  try {
    const file = join(disk.path, 'outbox.db');
    const { proxy, ground } = fault;
    proxy().become('refuse');
    const producer = open(ground(), { outboxFile: file, broker: proxy().address });
    try {
      const tell = producer.report.bind(producer);
      await load.report(rng.between(40, 200), tell);
      disk.fill();
      // Not a page more: what the log still had room for is used up.
      await waitFor('a refusal', async () => {
        await load.report(1, tell);
        return load.refused.has('OUTBOX_UNAVAILABLE');
      });
      const before = await ground().records();
      proxy().become('pass');
      await waitFor('records on the topic', async () => (await ground().records()) > before);
      await sleep(rng.between(0, 400));
      disk.empty();
      await load.report(rng.between(1, 20), tell);
      await producer.flush(30_000);
    } finally {
      await producer.close(1_000);
    }
    judgedOn(file, outboxFile);
  } finally {
    disk.remove();
  }
};

fault.test(
  'every accepted report is stored once, and nothing is on the topic twice',
  async () => {
    const tally = await fault.seeds(scenario, ({ refused }) => expect(refused).toBeGreaterThan(0));
    expect(tally).toMatchObject({ duplicates: 0, setAside: 0 });
  },
  FAULT_LIMIT_MS,
);

fault.test('the oracle finds nothing in a producer put together rightly', () => expectNoMutantIsFine(fault, scenario));

fault.test('a producer that forgets what was acknowledged is caught: it is on the topic twice', async () => {
  const sendsTwice = async (seed: number) =>
    (await fault.mutant('forgets what was acknowledged', scenario, seed)).duplicates > 0;
  expect(await isCaught(sendsTwice)).toBe(true);
});
