/** What an operator does with a sink that halts: reads what it says, runs the command it names, and starts it again. */
import type { SinkScenario } from './faults-sink-fault.ts';
import { CATCH_UP_LIMIT_MS, type SinkPlace } from './faults-sink-place.ts';
import type { RunningProcess } from './processes.ts';
import { waitFor } from './wait-for.ts';

const DATA_PROBLEM = 5;
const DECISION = /: deviations (position adopt --consumer sink --partition (\d+) --why [a-z-]+)/;

/** Every partition halts for itself; nothing is halted twice for one decision. */
const MOST_HALTS = 8;

/**
 * Until it has read everything; answers how often it halted. `says` is asked for the words in which it must have measured
 * the gap of a partition.
 */
export const adoptUntilRead = async (
  place: SinkPlace,
  start: Parameters<SinkScenario>[1],
  sink: RunningProcess,
  says: (partition: number, position: bigint | undefined) => string,
): Promise<number> => {
  const next = async (running: RunningProcess, halts: number): Promise<number> => {
    await waitFor(
      `${place.topic} to be read, or the sink to halt`,
      async () => !running.isRunning() || (await place.isCaughtUp()),
      { limitMs: CATCH_UP_LIMIT_MS, seen: running.stderr },
    );
    // One that is told to stop may be at a partition's witness just then, and halts instead.
    if (running.isRunning()) await place.askToStop(running);
    const { code, stderr } = await running.ended();
    if (code === 0) return halts;
    await place.look();
    const [, command = '', which = ''] = DECISION.exec(stderr) ?? [];
    const partition = Number(which);
    const position = (await place.positions()).get(partition);
    const gap = says(partition, position);
    if (code !== DATA_PROBLEM || !stderr.includes(gap) || halts >= MOST_HALTS) {
      throw new Error(`a sink ended with ${code} and did not say "${gap}"\n${stderr}`);
    }
    const adopted = await place.run(command.split(' '));
    if (adopted.code !== 0) throw new Error(`${command} ended with ${adopted.code}\n${adopted.stderr}`);
    const to = (await place.positions()).get(partition) ?? 0n;
    place.lose({ partition, from: position ?? 0n, to });
    return next(start(), halts + 1);
  };
  return next(sink, 0);
};
