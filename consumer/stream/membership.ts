/**
 * One membership of the group, from joining until it is over. On an assignment each partition is claimed in the database,
 * its position read, the log recognised, the position sought, and only then is it resumed; what a fetch delivers is
 * admitted against that position.
 */
import { codeOf, type kafka, within } from '../../wire/index.ts';
import { holdUntilDone } from './hold.ts';
import { checkWitness, isHalt, isPoisoned, poisoned, startOf, usableWitness } from './lost-position.ts';
import { createPartitionFlow, type PartitionFlow } from './partition-flow.ts';
import type { Witness } from '../store/store.ts';
import type { StreamParts } from './stream-parts.ts';

/** How long a stop may take before the process ends all the same, in milliseconds. */
const STOP_LIMIT_MS = 10_000;

export type MembershipEnd =
  /** The process stops, or another partition halted. */
  | 'stopped'
  /** Somebody else claimed a partition: back later. */
  | 'epoch-lost'
  /** The group, the broker or the client library gave up. */
  | 'left';

export interface Membership {
  /** Resolves once nothing of it runs any more. Rejects when the group could not be joined. */
  readonly ended: Promise<MembershipEnd>;
  /** Leaves and comes back, because it looks stuck. */
  leave(): void;
  /** Asks whether database and log are still those that each partition was read from and into. */
  check(ends: readonly kafka.PartitionEnds[]): void;
}

/** `halt` is told an error that no waiting mends. */
export const joinGroup = (parts: StreamParts, stop: AbortSignal, halt: (error: unknown) => void): Membership => {
  const { consumer, topic, store, progress, log, stopLimitMs = STOP_LIMIT_MS } = parts;
  const source = parts.createSource();
  const over = new AbortController();
  const left = AbortSignal.any([over.signal, stop]);
  const flows = new Map<number, PartitionFlow>();
  /** Partitions whose log is to be recognised by the next fetch. */
  const witnesses = new Map<number, Witness>();
  let assignment = new AbortController();
  let end: MembershipEnd = 'left';

  const leave = (why: MembershipEnd): void => {
    end = why;
    over.abort();
  };

  const claimOnce = async (partition: number) => {
    const key = { consumer, topic, partition };
    const claim = await store.claim(key, { forgive: parts.acceptQuarantine });
    if (isPoisoned(claim.window)) throw poisoned(key, claim.window);
    const ends = (await parts.ends()).find((one) => one.partition === partition);
    const committed = claim.position === undefined ? await parts.committed(partition) : undefined;
    try {
      const position = startOf(key, claim, ends, committed);
      const witness = ends === undefined ? undefined : usableWitness(claim.witness, position, ends);
      return { isHeld: true, epoch: claim.epoch, position, storedPosition: claim.position, witness } as const;
    } catch (error) {
      // A process that stood still after its claim compares an old position with a log that others read on from.
      if (isHalt(error) && !(await store.isHeld(key, claim.epoch)))
        return { isHeld: false, epoch: claim.epoch } as const;
      throw error;
    }
  };

  const loseEpoch = (partition: number, epoch: number): void => {
    log.warn('lost the epoch of a partition, rejoins later', { consumer, topic, partition, epoch });
    progress.epochLost();
    leave('epoch-lost');
  };

  const takePartition = async (partition: number, held: AbortSignal): Promise<void> => {
    const key = { consumer, topic, partition };
    const claimed = await holdUntilDone(() => claimOnce(partition), {
      log,
      fields: key,
      signal: held,
      isFinal: isHalt,
      onHold: (isHolding) => progress.holds(`claim ${partition}`, isHolding),
    });
    if (claimed === undefined || held.aborted) return;
    if (!claimed.isHeld) {
      loseEpoch(partition, claimed.epoch);
      return;
    }
    const { epoch, position, witness } = claimed;
    flows.set(
      partition,
      createPartitionFlow({
        ...parts,
        ...claimed,
        key,
        source,
        onEpochLost: () => loseEpoch(partition, epoch),
        onPositionMoved: () => {
          log.warn('the stored position has moved, reads it anew', { ...key, epoch });
          retake(partition);
        },
        onWindow: (window) => {
          if (!parts.acceptQuarantine && isPoisoned(window)) halt(poisoned(key, window));
        },
      }),
    );
    if (witness === undefined) witnesses.delete(partition);
    else witnesses.set(partition, witness);
    progress.claimed(partition, position);
    log.info('claimed a partition', { ...key, epoch, offset: String(position) });
    source.seek(partition, witness?.offset ?? position);
    source.resume(partition);
  };

  const take = (partition: number): void => {
    takePartition(partition, AbortSignal.any([assignment.signal, left])).catch(halt);
  };

  /** The partition is still ours, but what is known of it is not to be trusted. */
  const retake = (partition: number): void => {
    source.pause(partition);
    flows.get(partition)?.abandon();
    flows.delete(partition);
    take(partition);
  };

  const assigned = (partitions: readonly number[]): void => {
    assignment.abort();
    assignment = new AbortController();
    for (const flow of flows.values()) flow.abandon();
    flows.clear();
    witnesses.clear();
    progress.assigned(partitions);
    progress.holds('group', false);
    for (const partition of partitions) take(partition);
  };

  const admit = async (batch: kafka.SourceBatch): Promise<void> => {
    const { partition, askedFor } = batch;
    const flow = flows.get(partition);
    if (flow === undefined) return;
    const witness = witnesses.get(partition);
    if (askedFor === witness?.offset) {
      try {
        checkWitness({ consumer, topic, partition }, witness, batch.records);
      } catch (error) {
        halt(error);
        return;
      }
      witnesses.delete(partition);
      flow.recognised();
      // What lies between the witness and the position is known: the next fetch is to ask at the position.
      if (batch.lastOffset + 1n < flow.expected) source.seek(partition, flow.expected);
      await flow.take(batch);
      return;
    }
    // Also one that was on its way as the witness was asked for.
    if (askedFor === flow.expected) {
      await flow.take(batch);
      return;
    }
    // Nobody sought there: the log may have been made anew, or retention has passed the position. Checked before a
    // record is dropped.
    log.warn('a fetch asked elsewhere than at the position', { consumer, topic, partition, offset: String(askedFor) });
    retake(partition);
  };

  const passed = (partition: number, lastOffset: kafka.Offset): void => {
    witnesses.delete(partition);
    void flows.get(partition)?.take({ records: [], lastOffset });
  };

  /**
   * A topic may be made anew and filled past the position before the client looks: neither the offset that a fetch asks
   * for nor the log's end tells then, only the witness.
   */
  const recogniseAgain = (partition: number, flow: PartitionFlow, start: kafka.Offset): void => {
    const witness = flow.unproven;
    if (witness === undefined || witnesses.has(partition)) return;
    // Retention has taken it: from now on another one speaks for the log.
    if (witness.offset < start) {
      flow.recognised();
      return;
    }
    witnesses.set(partition, witness);
    source.seek(partition, witness.offset);
  };

  const finish = async (): Promise<void> => {
    await Promise.all([...flows.values()].map((flow) => flow.end()));
    await source.stop();
  };

  const run = async (): Promise<MembershipEnd> => {
    const isLeft = new Promise<void>((resolve) => {
      left.addEventListener('abort', () => resolve(), { once: true });
      if (left.aborted) resolve();
    });
    try {
      const crashed = (error: unknown): void => {
        log.warn('left the group after an error, rejoins', { consumer, topic, code: codeOf(error) });
        leave('left');
      };
      await Promise.race([isLeft, source.start({ assigned, batch: admit, passed, crashed })]);
      await isLeft;
    } finally {
      progress.left();
      await within(stopLimitMs, finish(), () => {
        for (const flow of flows.values()) flow.abandon();
        log.warn('did not stop within its limit', { consumer, topic, waitMs: stopLimitMs });
      });
    }
    return stop.aborted ? 'stopped' : end;
  };

  return {
    ended: run(),
    leave: () => leave('left'),
    check: (ends) => {
      if (left.aborted) return;
      for (const [partition, flow] of flows) {
        flow.check();
        const end = ends.find((one) => one.partition === partition);
        if (end !== undefined) recogniseAgain(partition, flow, end.start);
      }
    },
  };
};
