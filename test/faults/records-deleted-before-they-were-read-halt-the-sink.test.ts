/** Retention takes records that the sink has not read, while it is stopped or runs: it halts with the gap, and goes on by a decision. */
import { expect } from '@jest/globals';
import { describeSinkFault, FAULT_LIMIT_MS, type SinkScenario } from '../support/faults-sink-fault.ts';
import { adoptUntilRead } from '../support/faults-sink-halt.ts';
import { asAdmin, endsOf } from '../support/topics.ts';

const fault = describeSinkFault('retention-passed', { partitions: (rng) => rng.between(1, 2) });

/** As retention does: the log of the partition begins there afterwards. */
const deleteUpTo = (topic: string, partition: number, offset: bigint): Promise<void> =>
  asAdmin(async (admin) => {
    // Only a topic that this client has asked about before is known to it.
    await admin.fetchTopicOffsets(topic);
    await admin.deleteTopicRecords({ topic, partitions: [{ partition, offset: String(offset) }] });
  });

let halts = 0;

const scenario: SinkScenario = async (place, start) => {
  const { rng, load, topic } = place;
  await load.write(rng.between(20, 300));
  let sink = start();
  await place.caughtUp([sink]);
  const isRunning = rng.chance(0.5);
  if (isRunning) sink.kill('SIGSTOP');
  else await place.stop(sink);
  await load.write(rng.between(20, 600));
  await place.remember();
  const [positions, ends, starts] = [await place.positions(), await endsOf(topic), new Map<number, bigint>()];
  for (const [partition, end] of ends) {
    const position = positions.get(partition) ?? 0n;
    // Up to the position nothing is lost by it.
    const to = position + BigInt(rng.between(-3, Number(end - position)));
    if (to <= 0n || !positions.has(partition)) continue;
    await deleteUpTo(topic, partition, to);
    starts.set(partition, to);
  }
  if (isRunning) sink.kill('SIGCONT');
  else sink = start();
  halts += await adoptUntilRead(
    place,
    start,
    sink,
    (partition, position) =>
      `partition ${partition} starts at offset ${starts.get(partition)}, behind the stored position ${position}:`,
  );
};

fault.test(
  'every record that is left has its one outcome, and the loss is recorded',
  async () => {
    await fault.seeds(scenario);
    expect(halts).toBeGreaterThan(0);
  },
  FAULT_LIMIT_MS,
);
