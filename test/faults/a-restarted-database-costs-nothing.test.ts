/** PostgreSQL is restarted under an idle and a busy sink, several times in a row, or crashes: it goes on by itself. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describeSinkFault, FAULT_LIMIT_MS, type SinkScenario } from '../support/faults-sink-fault.ts';

// One seed at a time: they have one server.
const fault = describeSinkFault('database-restarted', { stores: ['postgres'], atOnce: 1 });

const scenario: SinkScenario = async (place, start) => {
  const { rng, load } = place;
  const sink = start();
  const isBusy = rng.chance(0.7);
  await load.write(rng.between(1, 300));
  if (isBusy) await sink.logged('claimed a partition');
  else await place.caughtUp([sink]);
  const stopLoading = isBusy ? load.writeOn(rng) : () => Promise.resolve();
  for (let restarts = rng.between(1, 3); restarts > 0; restarts -= 1) {
    if (isBusy) await sleep(rng.between(0, 200));
    if (rng.chance(0.5)) await fault.server().crashServer();
    else await fault.server().stopServer();
    await sleep(rng.between(0, 400));
    await fault.server().startServer();
  }
  await load.write(rng.between(1, 100));
  await stopLoading();
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
