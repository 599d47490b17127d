/** The topic is made anew, with fewer or more records than were read, under a running or a stopped sink: it halts, and skips nothing. */
import { expect } from '@jest/globals';
import { describeSinkFault, FAULT_LIMIT_MS, type SinkScenario } from '../support/faults-sink-fault.ts';
import { adoptUntilRead } from '../support/faults-sink-halt.ts';
import { shapeOf } from '../support/faults-sink-load.ts';
import { asAdmin, createTopic } from '../support/topics.ts';
import { waitFor } from '../support/wait-for.ts';

const PARTITIONS = 2;
// What lies at the witness's offset must be a record: a marker speaks neither for the log nor against it.
const fault = describeSinkFault('topic-recreated', {
  partitions: () => PARTITIONS,
  shape: (rng) => ({ ...shapeOf(rng), aborted: 0 }),
});

const recreate = async (topic: string): Promise<void> => {
  await asAdmin((admin) => admin.deleteTopics({ topics: [topic] }));
  await waitFor('the topic to be gone', async () => !(await asAdmin((admin) => admin.listTopics())).includes(topic));
  await createTopic(topic, PARTITIONS);
};

const scenario: SinkScenario = async (place, start) => {
  const { rng, load, topic } = place;
  const before = rng.between(40, 200);
  await load.write(before);
  let sink = start();
  await place.caughtUp([sink]);
  const isRunning = rng.chance(0.5);
  if (!isRunning) await place.stop(sink);
  await place.remember();
  const positions = await place.positions();
  place.reborn();
  await recreate(topic);
  await load.refresh();
  await load.write(rng.chance(0.5) ? rng.between(1, before - 1) : rng.between(before * 2, before * 3));
  // With just as many records it would seem to be read from the start: whether it was is for the witness to say.
  const leaveSomethingToRead = async (): Promise<void> => {
    while (await place.isCaughtUpAnywhere()) await load.write(1);
  };
  await leaveSomethingToRead();
  if (!isRunning) sink = start();
  const partitionOf = (partition: number, position: bigint | undefined): string => {
    // Some of the new log had been read at the old position when it was noticed: it comes again.
    if (position !== positions.get(partition)) place.readAgain();
    return `partition ${partition} `;
  };
  let halts = await adoptUntilRead(place, start, sink, partitionOf);
  // Read on at its position to the end before it looked at the witness again: the next start does.
  if (halts === 0) {
    await leaveSomethingToRead();
    halts = await adoptUntilRead(place, start, start(), partitionOf);
  }
  expect(halts).toBeGreaterThan(0);
};

fault.test(
  'every record of both lives has its one outcome, and the loss is recorded',
  async () => {
    await fault.seeds(scenario);
  },
  FAULT_LIMIT_MS,
);
