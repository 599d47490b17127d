/** What the table knows of the ids that a deviation names as evidence. */
import type { StoredDeviation, StoreReader } from '../store/store.ts';

export interface KnownEvidence {
  readonly eventId: string;
  /** When it is itself a deviation that is stored. */
  readonly stored: StoredDeviation | undefined;
  /** How many other deviations name it too. */
  readonly namedByOthers: number;
}

export interface EvidenceOf {
  readonly evidence: readonly KnownEvidence[];
  /** How many deviations name this one as their evidence. */
  readonly namedBy: number;
}

export const evidenceOf = async (
  { eventId, evidenceEventIds }: StoredDeviation,
  reader: StoreReader,
): Promise<EvidenceOf> => {
  const naming = await reader.deviations({ evidenceIds: [eventId, ...evidenceEventIds] });
  const stored = evidenceEventIds.length === 0 ? [] : await reader.deviations({ eventIds: evidenceEventIds });
  const others = naming.filter((one) => one.eventId !== eventId);
  const countOf = (id: string): number => others.filter((one) => one.evidenceEventIds.includes(id)).length;
  return {
    evidence: evidenceEventIds.map((id) => ({
      eventId: id,
      stored: stored.find((one) => one.eventId === id),
      namedByOthers: countOf(id),
    })),
    namedBy: countOf(eventId),
  };
};
