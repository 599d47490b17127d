/** The only broker is killed and restarted in the midst of batches, time after time: everything is stored, by no hand. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from '../../stack/index.ts';
import { noServers, startOwn } from '../support/faults-servers.ts';
import { describeSinkFault, FAULT_LIMIT_MS, type SinkScenario } from '../support/faults-sink-fault.ts';

const RESTARTS = 5;

let broker: Server | undefined;
const fault = describeSinkFault('broker-restarted', {
  unless: noServers,
  // One seed at a time: they have one broker.
  atOnce: 1,
  seedsInOne: RESTARTS,
  openServers: async () => {
    broker = await startOwn('broker');
    // Whom the helpers talk to; this file's own copy of the environment.
    process.env['TEST_KAFKA_BROKERS'] = broker.address;
  },
  stopServers: async () => broker?.stop(),
});

const scenario: SinkScenario = async (place, start) => {
  const { rng, load } = place;
  const sink = start();
  await load.write(rng.between(1, 100));
  await sink.logged('claimed a partition');
  for (let restart = 1; restart <= RESTARTS; restart += 1) {
    await load.write(rng.between(100, 800));
    await sleep(rng.between(0, 50));
    await broker?.kill();
    await broker?.restart();
    await load.refresh();
  }
  await load.write(rng.between(1, 100));
  await place.caughtUp([sink]);
  await place.stop(sink);
};

fault.test(
  'every record has its one outcome',
  async () => {
    await fault.seeds(scenario);
  },
  FAULT_LIMIT_MS,
);
