/** The broker is killed without warning and restarted while reports come: nothing that was accepted is lost. */
import { expect } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from '../../stack/index.ts';
import { describeFault, FAULT_LIMIT_MS, isCaught, type Scenario } from '../support/faults-fault.ts';
import { noServers, startOwn } from '../support/faults-servers.ts';

let broker: Server | undefined;
const fault = describeFault('broker-killed', {
  unless: noServers,
  openServers: async () => {
    broker = await startOwn('broker');
    return { broker: broker.address };
  },
  stopServers: async () => broker?.stop(),
});

const scenario: Scenario = async ({ rng, load, outboxFile }, open) => {
  const producer = open(fault.ground(), { outboxFile, broker: fault.ground().broker });
  let isOver = false;
  const loading = (async () => {
    while (!isOver) {
      await load.report(rng.between(1, 6), (report) => producer.report(report));
      await sleep(rng.between(10, 40));
    }
  })();
  try {
    await sleep(rng.between(50, 600));
    await broker?.kill();
    await sleep(rng.between(0, 300));
    await broker?.restart();
    await sleep(rng.between(0, 300));
    isOver = true;
    await loading;
    await producer.flush(60_000);
  } finally {
    isOver = true;
    await producer.close(1_000);
  }
};

fault.test(
  'every accepted report is stored once',
  async () => {
    expect(await fault.seeds(scenario)).toMatchObject({ setAside: 0, refused: 0 });
  },
  FAULT_LIMIT_MS,
);

fault.test(
  'a producer that drops on an error is caught: reports are missing',
  async () => {
    const missesSome = async (seed: number) =>
      (await fault.mutant('drops on an error', scenario, seed)).verdict.missing.length > 0;
    expect(await isCaught(missesSome)).toBe(true);
  },
  FAULT_LIMIT_MS,
);
