/**
 * One of two sinks is stopped for three session time-outs, within a transaction or not, and thawed when the other has its
 * partitions: one row per record, and the two come to rest.
 */
import { expect } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeSinkFault, FAULT_LIMIT_MS, type SinkScenario } from '../support/faults-sink-fault.ts';
import { type Moment, MOMENTS } from '../support/faults-sink-moments.ts';
import { SHAPE_PLAIN } from '../support/faults-sink-load.ts';
import { CATCH_UP_LIMIT_MS, SESSION_TIMEOUT_MS, type SinkPlace } from '../support/faults-sink-place.ts';
import type { RunningProcess } from '../support/processes.ts';
import { waitFor } from '../support/wait-for.ts';

const fault = describeSinkFault('sink-frozen', {
  stores: ['postgres'],
  partitions: (rng) => rng.between(2, 3),
  atOnce: 4,
});

/** The server ends a transaction that is idle for ten seconds. */
const BEYOND_THE_TRANSACTION_MS = 11_000;

const isFrozen = ({ pid }: RunningProcess): boolean => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T');
};

/** Nobody fences anybody for ever: a wave is read to its end and no partition was claimed meanwhile. */
const comeToRest = async (place: SinkPlace, sinks: readonly RunningProcess[]): Promise<void> => {
  await waitFor(
    'the sinks to come to rest',
    async () => {
      const before = await place.claims();
      await place.load.write(20);
      await place.caughtUp(sinks);
      return (await place.claims()) === before;
    },
    { limitMs: CATCH_UP_LIMIT_MS, seen: () => sinks.map((sink) => sink.stderr()).join('\n') },
  );
};

const scenario =
  (
    moments: readonly [Moment, ...Moment[]],
    { mostOften, blowsAlways }: { readonly mostOften: number; readonly blowsAlways: boolean },
    freezeMs: (place: SinkPlace) => number,
  ): SinkScenario =>
  async (place, start) => {
    const { rng, load } = place;
    const blow = { moment: rng.pick(moments), nth: rng.between(1, mostOften), signal: 'SIGSTOP' } as const;
    const frozen = start({ blow });
    await load.write(rng.between(50, 400));
    const isAtWork = (): boolean => frozen.log().some(({ msg }) => msg === 'claimed a partition');
    await waitFor('it to be at work, or frozen', () => isFrozen(frozen) || isAtWork(), { seen: frozen.stderr });
    const other = start();
    const deadline = performance.now() + rng.between(0, 1_500);
    while (!isFrozen(frozen) && performance.now() < deadline) await load.write(rng.between(1, 60));
    if (blowsAlways) await waitFor('its moment', () => isFrozen(frozen), { seen: frozen.stderr });
    // Its moment has not come: any other will do.
    frozen.kill('SIGSTOP');
    const stopLoading = load.writeOn(rng);
    await sleep(rng.between(0, 300));
    await stopLoading();
    await sleep(freezeMs(place));
    frozen.kill('SIGCONT');
    await load.write(rng.between(1, 100));
    await place.caughtUp([frozen, other]);
    await comeToRest(place, [frozen, other]);
    await Promise.all([place.stop(frozen), place.stop(other)]);
  };

fault.test(
  'every record has its one outcome',
  async () => {
    await fault.seeds(
      scenario(MOMENTS, { mostOften: 3, blowsAlways: false }, ({ rng }) =>
        rng.chance(0.1) ? BEYOND_THE_TRANSACTION_MS : 3 * SESSION_TIMEOUT_MS,
      ),
    );
  },
  FAULT_LIMIT_MS,
);

const withAFlushInHand = scenario(
  ['before-a-transaction'],
  { mostOften: 1, blowsAlways: true },
  () => 3 * SESSION_TIMEOUT_MS,
);

fault.test(
  'a build that writes under an old epoch is caught: its counters do not add up',
  async () => {
    expect(await fault.isCaught('writes under an old epoch', withAFlushInHand, { shape: SHAPE_PLAIN })).toBe(true);
  },
  FAULT_LIMIT_MS,
);
