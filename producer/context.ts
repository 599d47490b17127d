/**
 * What the engine says about a call: session, project, call id, clock, the session's events, trace. Never the model's.
 * A wrong context is the engine's bug; it is answered, not thrown.
 */
import { isInTimeWindow, parseUuid } from '../schemas/index.ts';
import { validTraceparent, within } from '../wire/index.ts';

/** Answers the ids, of those asked for, that are events of the session; it may answer more. */
export type EvidenceLookup = (candidates: readonly string[]) => Iterable<string> | Promise<Iterable<string>>;

/** As the engine hands it over; every value is checked. Keys not named here are ignored. */
export interface ReportContext {
  /** UUID of the work session. */
  readonly sessionId: string;
  /** UUID of its project. */
  readonly projectId: string;
  /** 1 to 256 characters of `[\x21-\x7e]`, unique within the session. Never stored or sent: only the event id made of it. */
  readonly toolCallId: string;
  /** RFC 3339 with any offset; the engine's clock when absent. */
  readonly occurredAt?: string;
  /** Ids of the session's events, or a look-up of them; without it unknown evidence cannot be told. */
  readonly sessionEventIds?: readonly string[] | EvidenceLookup;
  /** W3C trace context; an invalid one is left out. */
  readonly traceparent?: string;
}

export interface CheckedContext {
  readonly sessionId: string;
  readonly projectId: string;
  readonly toolCallId: string;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly occurredAtMs: number;
  /** Canonical ids, or undefined when the engine supplies no look-up. */
  readonly knownEvents: ReadonlySet<string> | undefined;
  readonly traceparent: string | undefined;
}

export interface ContextPolicy {
  readonly nowMs: () => number;
  readonly requireEvidenceLookup: boolean;
}

/** How long the engine's look-up may take, in milliseconds (design section 4). */
export const LOOKUP_LIMIT_MS = 5_000;

const TOOL_CALL_ID = /^[\x21-\x7e]{1,256}$/;
const RFC_3339 =
  /^(\d{4})-(\d\d)-(\d\d)[Tt]([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d+))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

/** Cut, not rounded, to milliseconds; undefined for anything but a date that exists, written as RFC 3339. */
export const parseTime = (text: string): number | undefined => {
  const parts = RFC_3339.exec(text);
  if (parts === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', sign, offsetHours = '0', offsetMinutes = '0'] = parts;
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'));
  const localMs = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
    milliseconds,
  );
  // 31 April would otherwise become 1 May.
  const date = new Date(localMs);
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined;
  const offsetMs = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000;
  return sign === '-' ? localMs + offsetMs : localMs - offsetMs;
};

const occurredAtOf = (value: unknown, nowMs: () => number): number | undefined => {
  if (value === undefined) return Math.trunc(nowMs());
  return typeof value === 'string' ? parseTime(value) : undefined;
};

const INVALID = Symbol('an item that is no id');

const idSet = (items: unknown): ReadonlySet<string> | typeof INVALID => {
  const isIterable = typeof items === 'object' && items !== null && Symbol.iterator in items;
  if (!isIterable) return INVALID;
  const ids = new Set<string>();
  for (const item of items as Iterable<unknown>) {
    const id = parseUuid(item);
    if (id === undefined) return INVALID;
    ids.add(id);
  }
  return ids;
};

type Known = ReadonlySet<string> | undefined | typeof INVALID;

const knownEventsOf = (
  supplied: unknown,
  candidates: () => readonly string[],
  policy: ContextPolicy,
): Known | Promise<Known> => {
  if (supplied === undefined) return policy.requireEvidenceLookup ? INVALID : undefined;
  if (typeof supplied !== 'function') return idSet(supplied);
  const lookUp = supplied as EvidenceLookup; // the engine's own function; what it answers is checked
  return within(LOOKUP_LIMIT_MS, (async () => idSet(await lookUp(candidates())))(), (): Known => INVALID);
};

/**
 * The context, checked, or undefined; a promise of it when the engine is asked for the session's events. `candidates` are
 * the canonical ids among the report's evidence, for the look-up. Throws or rejects only when the engine's object or
 * look-up throws; the caller answers `CONTEXT_INVALID` to that as well.
 */
export const checkContext = (
  context: unknown,
  candidates: () => readonly string[],
  policy: ContextPolicy,
): CheckedContext | undefined | Promise<CheckedContext | undefined> => {
  if (typeof context !== 'object' || context === null || Array.isArray(context)) return undefined;
  const given = context as Partial<Record<keyof ReportContext, unknown>>; // an object: its members may be anything
  const sessionId = parseUuid(given.sessionId);
  const projectId = parseUuid(given.projectId);
  const { toolCallId } = given;
  const occurredAtMs = occurredAtOf(given.occurredAt, policy.nowMs);
  if (sessionId === undefined || projectId === undefined || !isInTimeWindow(occurredAtMs)) return undefined;
  if (typeof toolCallId !== 'string' || !TOOL_CALL_ID.test(toolCallId)) return undefined;
  const withKnown = (knownEvents: Known): CheckedContext | undefined =>
    knownEvents === INVALID
      ? undefined
      : {
          sessionId,
          projectId,
          toolCallId,
          occurredAtMs,
          knownEvents,
          traceparent: validTraceparent(given.traceparent),
        };
  const known = knownEventsOf(given.sessionEventIds, candidates, policy);
  return known instanceof Promise ? known.then(withKnown) : withKnown(known);
};
