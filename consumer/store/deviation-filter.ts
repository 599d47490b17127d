/** Which deviations are meant: as a question to a store, and as a predicate over one that has just arrived. */
/** Within one filter OR, between filters AND; an absent or empty one lets everything through. */
export interface DeviationFilter {
  readonly tipos?: readonly string[];
  readonly agentes?: readonly string[];
  readonly sessionIds?: readonly string[];
  readonly projectIds?: readonly string[];
  readonly eventIds?: readonly string[];
  readonly evidenceIds?: readonly string[];
  /** 32 hexadecimal digits each. */
  readonly traceIds?: readonly string[];
  /** Milliseconds since 1970-01-01 UTC, inclusive. */
  readonly sinceMs?: number;
  /** Exclusive. */
  readonly untilMs?: number;
}

/** What the filters look at: a stored deviation, or one that has just arrived. */
interface Filtered {
  readonly tipo: string;
  readonly agente: string;
  readonly sessionId: string;
  readonly projectId: string;
  readonly eventId: string;
  readonly evidenceEventIds: readonly string[];
  readonly traceId: string | null;
  /** RFC 3339 UTC with milliseconds. */
  readonly occurredAt: string;
}

const lets = (wanted: readonly string[] | undefined, ...values: readonly (string | null)[]): boolean =>
  wanted === undefined || wanted.length === 0 || values.some((value) => value !== null && wanted.includes(value));

/** The same answer as the stores give by SQL; their contract suite holds the three together. */
export const matchesFilter = (filter: DeviationFilter, deviation: Filtered): boolean => {
  const occurredAtMs = Date.parse(deviation.occurredAt);
  return (
    lets(filter.tipos, deviation.tipo) &&
    lets(filter.agentes, deviation.agente) &&
    lets(filter.sessionIds, deviation.sessionId) &&
    lets(filter.projectIds, deviation.projectId) &&
    lets(filter.eventIds, deviation.eventId) &&
    lets(filter.evidenceIds, ...deviation.evidenceEventIds) &&
    lets(filter.traceIds, deviation.traceId) &&
    occurredAtMs >= (filter.sinceMs ?? -Infinity) &&
    occurredAtMs < (filter.untilMs ?? Infinity)
  );
};
