/** Broker away with the outbox at its bound: full is refused, what was accepted goes once the broker is back, once each. */
import { expect } from '@jest/globals';
import {
  describeFault,
  expectNoMutantIsFine,
  FAULT_LIMIT_MS,
  isCaught,
  type Scenario,
} from '../support/faults-fault.ts';
import { waitFor } from '../support/wait-for.ts';

const fault = describeFault('broker-away-outbox-full');

const scenario: Scenario = async ({ rng, load, outboxFile }, open) => {
  const proxy = fault.proxy();
  proxy.become('pass');
  const limits = { maxRows: rng.between(10, 60) };
  const producer = open(fault.ground(), { outboxFile, broker: proxy.address, limits });
  try {
    const tell = producer.report.bind(producer);
    await load.report(rng.between(1, 9), tell);
    await producer.flush(30_000);
    proxy.become('refuse');
    for (let round = 0; round < 20 && !load.refused.has('OUTBOX_FULL'); round += 1) await load.report(20, tell);
    await waitFor('the relay to have tried, or to have lost everything', async () => {
      const outbox = (await producer.status()).outbox;
      return outbox !== undefined && (outbox.retried > 0 || outbox.waiting === 0);
    });
    const back = load.report(rng.between(1, 40), tell);
    proxy.become('pass');
    await back;
    await producer.flush(30_000);
    // There is room again.
    await load.report(rng.between(1, 9), tell);
    await producer.flush(30_000);
  } finally {
    await producer.close(1_000);
  }
};

fault.test(
  'every accepted report is stored once, some were refused, and nothing is on the topic twice',
  async () => {
    const tally = await fault.seeds(scenario, ({ refused }) => expect(refused).toBeGreaterThan(0));
    expect(tally).toMatchObject({ duplicates: 0, setAside: 0 });
  },
  FAULT_LIMIT_MS,
);

fault.test('the oracle finds nothing in a producer put together rightly', () => expectNoMutantIsFine(fault, scenario));

fault.test.each(['deletes before the acknowledgement', 'drops on an error'] as const)(
  'a producer that %s is caught: reports are missing',
  async (mutant) => {
    const missesSome = async (seed: number) => (await fault.mutant(mutant, scenario, seed)).verdict.missing.length > 0;
    expect(await isCaught(missesSome)).toBe(true);
  },
);
