/** Waits until the consumers have read the topic to its end, by the positions in the database. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { PositionRow, StoreReader } from '../../consumer/index.ts';
import { CONSUMERS, kafka, StreamError } from '../../wire/index.ts';
import type { ConsumerProcess } from './consumer-process.ts';

const LIMIT_MS = 60_000;
const LOOK_EVERY_MS = 100;

const hasReached = (end: kafka.PartitionEnds, positions: readonly PositionRow[], consumer: string): boolean => {
  const at = positions.find((row) => row.consumer === consumer && row.partition === end.partition)?.position;
  // A partition without a record never gets a position.
  return (at ?? end.start) >= end.end;
};

export const caughtUp = async (
  topic: string,
  ends: readonly kafka.PartitionEnds[],
  reader: StoreReader,
  processes: readonly ConsumerProcess[],
  stop: AbortSignal,
): Promise<void> => {
  const deadline = performance.now() + LIMIT_MS;
  for (;;) {
    const positions = await reader.positions(topic);
    const behind = CONSUMERS.filter((consumer) => !ends.every((end) => hasReached(end, positions, consumer)));
    if (behind.length === 0 || stop.aborted) return;
    const dead = processes.find((process) => process.exitCode() !== undefined);
    if (dead !== undefined || performance.now() > deadline) {
      const late = processes.filter(({ consumer }) => behind.includes(consumer));
      throw new StreamError(
        'UNEXPECTED',
        dead === undefined
          ? `${behind.join(' and ')} did not catch up within ${LIMIT_MS / 1_000} s`
          : `the ${dead.consumer} ended with exit code ${dead.exitCode()}`,
        `Read ${(dead === undefined ? late : [dead]).map(({ logFile }) => logFile).join(' and ')}`,
      );
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal: stop }).catch(() => {});
  }
};
