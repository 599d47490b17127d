/** The database goes back to an older state, under a stopped or a running sink: it reads again from there, no gap, no double. */
import { describeSinkFault, FAULT_LIMIT_MS, type SinkScenario } from '../support/faults-sink-fault.ts';
import { adoptUntilRead } from '../support/faults-sink-halt.ts';

const fault = describeSinkFault('database-restored', { partitions: (rng) => rng.between(1, 2) });

const scenario: SinkScenario = async (place, start) => {
  const { rng, load, database } = place;
  await load.write(rng.between(1, 300));
  let sink = start();
  await place.caughtUp([sink]);
  const putBack = await database.snapshot();
  await load.write(rng.between(1, 300));
  await place.caughtUp([sink]);
  const isRunning = database.kind === 'postgres' && rng.chance(0.6);
  if (isRunning) await putBack();
  else {
    await place.stop(sink);
    await putBack();
    sink = start();
  }
  // Also where nothing more comes.
  if (rng.chance(0.5)) await load.write(rng.between(1, 200));
  // Of a partition that had no position by then, the group knows more than the database.
  await adoptUntilRead(place, start, sink, () => 'but the database has no position');
};

fault.test(
  'every record has its one outcome',
  async () => {
    await fault.seeds(scenario);
  },
  FAULT_LIMIT_MS,
);
