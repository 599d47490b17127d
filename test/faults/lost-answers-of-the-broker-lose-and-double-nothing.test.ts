/** The broker's answers are lost for a while, or its requests: what arrived is sent again, and is in the table once. */
import { expect } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  describeFault,
  expectNoMutantIsFine,
  FAULT_LIMIT_MS,
  isCaught,
  type Scenario,
} from '../support/faults-fault.ts';
import { waitFor } from '../support/wait-for.ts';

const fault = describeFault('broker-answers-lost');

interface Loss {
  readonly modes: readonly ['lose-answers' | 'lose-requests', ...('lose-answers' | 'lose-requests')[]];
  /** How likely the broker stays away until the client has given its own retries up. */
  readonly longOnes: number;
}

const losing =
  ({ modes, longOnes }: Loss): Scenario =>
  async ({ rng, load, outboxFile }, open) => {
    const proxy = fault.proxy();
    proxy.become('pass');
    const producer = open(fault.ground(), { outboxFile, broker: proxy.address });
    const outbox = async () => (await producer.status()).outbox;
    try {
      const tell = producer.report.bind(producer);
      await load.report(rng.between(1, 9), tell);
      await producer.flush(30_000);
      for (let loss = rng.between(1, 3); loss > 0; loss -= 1) {
        const retried = (await outbox())?.retried ?? 0;
        const lost = proxy.lostBytes();
        proxy.become(rng.pick(modes));
        await load.report(rng.between(5, 25), tell);
        await waitFor('something to be lost', () => proxy.lostBytes() > lost);
        // How long the silence lasts is the seed's.
        await sleep(rng.between(0, 150));
        if (rng.chance(longOnes)) {
          proxy.become('refuse');
          await waitFor('the relay to hold, or to have lost everything', async () => {
            const now = await outbox();
            return now !== undefined && (now.retried > retried || now.waiting === 0);
          });
        }
        // A firewall that forgot the connection ends it in the end; without that the client would wait ten seconds.
        proxy.cut();
        proxy.become('pass');
        await load.report(rng.between(5, 25), tell);
        if (rng.chance(0.5)) await producer.flush(30_000);
      }
      await producer.flush(30_000);
    } finally {
      await producer.close(1_000);
    }
  };

const scenario = losing({ modes: ['lose-answers', 'lose-answers', 'lose-requests'], longOnes: 0.4 });
const lasting = losing({ modes: ['lose-requests'], longOnes: 1 });

fault.test(
  'every accepted report is stored once, whatever was sent again',
  async () => {
    const tally = await fault.seeds(scenario);
    expect(tally).toMatchObject({ setAside: 0, refused: 0 });
    // The fault did happen: an answer was lost, so something is on the topic twice.
    expect(tally.duplicates).toBeGreaterThan(0);
  },
  FAULT_LIMIT_MS,
);

fault.test('the oracle finds nothing in a producer put together rightly', () => expectNoMutantIsFine(fault, lasting));

fault.test.each(['deletes before the acknowledgement', 'drops on an error'] as const)(
  'a producer that %s is caught: reports are missing',
  async (mutant) => {
    const missesSome = async (seed: number) => (await fault.mutant(mutant, lasting, seed)).verdict.missing.length > 0;
    expect(await isCaught(missesSome)).toBe(true);
  },
);
