/** The five fields that every event type begins with. */
export interface Envelope {
  /** Canonical UUID. */
  readonly eventId: string;
  /** Canonical UUID; also the record's key. */
  readonly sessionId: string;
  /** Canonical UUID. */
  readonly projectId: string;
  /** Milliseconds since 1970-01-01 UTC, within `TIME_WINDOW`. */
  readonly occurredAt: number;
  readonly actor: Actor;
}

export const ACTORS = ['agent_anamnese'] as const;
export type Actor = (typeof ACTORS)[number];

/** How an actor is written in the table and the tools (ADR 0205, decision 1). */
export const shownActor = (actor: Actor): string => actor.replace('_', '/');

/** From 2020-01-01 up to, not including, 2100-01-01, in milliseconds since 1970-01-01 UTC (design 3.2). */
export const TIME_WINDOW = { fromMs: Date.UTC(2020, 0, 1), toMs: Date.UTC(2100, 0, 1) } as const;

export const isInTimeWindow = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= TIME_WINDOW.fromMs && Number(value) < TIME_WINDOW.toMs;
