/**
 * How old a record is, without reading it: the broker answers which offset a time leads to, never the other way round, and
 * reading would take a group. Exact for a topic with the broker's clock (LogAppendTime), where offsets rise with time.
 */
import type { Offset } from './offset.ts';

/** As near as this, in milliseconds: it is shown in seconds. */
const NEAR_MS = 250;
const FIRST_AGE_MS = 1_000;

/** `offsetsAt` answers the first offset of each partition whose record arrived at that time or later. */
export const oldestArrival = async (
  offsetsAt: (timeMs: number) => Promise<ReadonlyMap<number, Offset>>,
  records: ReadonlyMap<number, Offset>,
  nowMs: number,
): Promise<number> => {
  /** All of the records arrived at that time or later: the time leads to none behind them. */
  const allSince = async (timeMs: number): Promise<boolean> => {
    const at = await offsetsAt(timeMs);
    return [...records].every(([partition, wanted]) => (at.get(partition) ?? wanted) <= wanted);
  };

  // They are younger than the clock here, which may be slow.
  if (records.size === 0 || (await allSince(nowMs))) return nowMs;
  let [since, notSince] = [nowMs, nowMs];
  for (let ageMs = FIRST_AGE_MS; since === nowMs; ageMs *= 2) {
    const timeMs = Math.max(0, nowMs - ageMs);
    if (timeMs === 0 || (await allSince(timeMs))) since = timeMs;
    else notSince = timeMs;
  }
  while (notSince - since > NEAR_MS) {
    const middle = Math.floor((since + notSince) / 2);
    if (await allSince(middle)) since = middle;
    else notSince = middle;
  }
  return since;
};
