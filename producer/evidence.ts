/** Five counts that add up to the list's length, and the kept ids. The dropped ids are counted, never named. */
import { EVIDENCE_CEILING, parseUuid } from '../schemas/index.ts';

export interface EvidenceCounts {
  readonly kept: number;
  readonly duplicates: number;
  readonly malformed: number;
  readonly unknown: number;
  readonly overCeiling: number;
}

export interface CheckedEvidence {
  readonly counts: EvidenceCounts;
  /** Canonical, sorted, no duplicates, at most `EVIDENCE_CEILING`. */
  readonly kept: readonly string[];
}

/** `knownEvents` undefined: the engine supplies no look-up, and none is unknown. */
export const checkEvidence = (
  list: readonly unknown[],
  knownEvents: ReadonlySet<string> | undefined,
): CheckedEvidence => {
  const seen = new Set<string>();
  const left: string[] = [];
  let malformed = 0;
  let duplicates = 0;
  let unknown = 0;
  for (const item of list) {
    const id = parseUuid(item);
    if (id === undefined) malformed += 1;
    else if (seen.has(id)) duplicates += 1;
    else {
      seen.add(id);
      if (knownEvents === undefined || knownEvents.has(id)) left.push(id);
      else unknown += 1;
    }
  }
  const kept = left.slice(0, EVIDENCE_CEILING);
  return {
    counts: { kept: kept.length, duplicates, malformed, unknown, overCeiling: left.length - kept.length },
    kept: kept.sort(),
  };
};
