/** How often a fault is tried, and what came out of it, whatever is tried. */
import { appendFileSync } from 'node:fs';

/** `npm test` a few, CI more, `npm run faults -- --seeds N` as many as are asked for. */
export const SEEDS = Number(process.env['FAULT_SEEDS'] ?? (process.env['CI'] === 'true' ? 10 : 3));

/** A minute for what surrounds them, and half a minute each: a limit, not a figure. */
export const SEEDS_LIMIT_MS = 120_000 + SEEDS * 45_000;

/** What is wrong, by kind; a clean one has empty lists alone. */
export type Findings = { readonly [kind: string]: readonly string[] };

/** What was done and what came out, as numbers that may be added up. */
export type Tally = { readonly [what: string]: number };

export interface Tried {
  readonly verdict: Findings;
  readonly tally: Tally;
}

export const isClean = (verdict: Findings): boolean => Object.values(verdict).every((found) => found.length === 0);

const isTold = process.env['FAULT_SUMMARY'];

const addUp = (tallies: readonly Tally[]): Tally => {
  const sums = new Map<string, number>();
  for (const tally of tallies) {
    for (const [what, count] of Object.entries(tally)) sums.set(what, (sums.get(what) ?? 0) + count);
  }
  return Object.fromEntries(sums);
};

/** Says what a fault came to, on stderr, and in the file that `npm run faults` reads. */
export const tellTally = (name: string, tally: Tally): void => {
  process.stderr.write(`fault ${name}: ${JSON.stringify(tally)}\n`);
  if (isTold !== undefined) appendFileSync(isTold, `${JSON.stringify({ name, ...tally })}\n`);
};

const tell = (name: string, tried: readonly Tried[], sinceMs: number): Tally => {
  const tally = { seeds: tried.length, ...addUp(tried.map((one) => one.tally)) };
  tellTally(name, { ...tally, seconds: Math.round((performance.now() - sinceMs) / 1_000) });
  return tally;
};

/** Every seed in turn, some at once where waiting is most of it; the first one that is wrong ends it, and is named. */
export const trySeeds = async (
  name: string,
  trySeed: (seed: number) => Promise<Tried>,
  { atOnce = 1, seeds = SEEDS }: { readonly atOnce?: number; readonly seeds?: number } = {},
): Promise<Tally> => {
  const sinceMs = performance.now();
  const tried: Tried[] = [];
  let [next, wrong]: [number, Error?] = [1];
  const tryOn = async (): Promise<void> => {
    while (next <= seeds && wrong === undefined) {
      const seed = next;
      next += 1;
      try {
        const one = await trySeed(seed);
        tried.push(one);
        if (!isClean(one.verdict)) throw new Error(JSON.stringify(one));
      } catch (error) {
        wrong ??= new Error(`${name}, seed ${seed}: ${String(error)}`, { cause: error });
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, tryOn));
  const tally = tell(name, tried, sinceMs);
  if (wrong !== undefined) throw wrong;
  return tally;
};
