/** Sinks join and leave while flushes are slow, and partitions are added under load: every record has one outcome. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describeSinkFault, FAULT_LIMIT_MS, type SinkScenario } from '../support/faults-sink-fault.ts';
import type { RunningProcess } from '../support/processes.ts';
import { asAdmin } from '../support/topics.ts';

const PARTITIONS = 2;
const fault = describeSinkFault('rebalance', { stores: ['postgres'], partitions: () => PARTITIONS });

const scenario: SinkScenario = async (place, start) => {
  const { rng, load } = place;
  let partitions = PARTITIONS;
  const sinks: RunningProcess[] = [start()];
  const leaving: Promise<void>[] = [];
  await load.write(rng.between(1, 400));
  const stopLoading = load.writeOn(rng);
  const slow = async (): Promise<void> => {
    const release = await place.database.lock();
    await sleep(rng.between(50, 800));
    await release();
  };
  let slowing: Promise<void> = Promise.resolve();
  for (let steps = rng.between(2, 4); steps > 0; steps -= 1) {
    const step = rng.pick(['join', 'leave', 'grow']);
    slowing = slowing.then(slow);
    await sleep(rng.between(0, 400));
    if (step === 'grow') {
      partitions += rng.between(1, 2);
      const count = partitions;
      await asAdmin((admin) => admin.createPartitions({ topicPartitions: [{ topic: place.topic, count }] }));
      await load.refresh();
    } else if (step === 'leave' && sinks.length > 1) {
      const [gone] = sinks.splice(rng.between(0, sinks.length - 1), 1);
      if (gone !== undefined) leaving.push(place.stop(gone));
    } else sinks.push(start());
  }
  // Whoever joins last makes the group look at the topic anew.
  sinks.push(start());
  await slowing;
  await stopLoading();
  await load.write(rng.between(1, 200));
  await place.caughtUp(sinks);
  await Promise.all([...leaving, ...sinks.map((sink) => place.stop(sink))]);
};

fault.test(
  'every record has its one outcome',
  async () => {
    await fault.seeds(scenario);
  },
  FAULT_LIMIT_MS,
);
