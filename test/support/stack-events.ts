/** Many events at once, right in every field, and the records they are on the topic. */
import {
  AGENT_DEVIATION,
  type AgentDeviation,
  EVENT_TYPES,
  type EventType,
  LEVELS,
  type SessionEvents,
  TIPOS,
} from '../../schemas/index.ts';
import {
  createEncoder,
  createRegistry,
  deviationHeaders,
  eventHeaders,
  type Headers,
  registeredId,
} from '../../wire/index.ts';
import { aDeviation, aFact, aProficiency, NOON_MS, uuidNo } from './builders.ts';
import { framed } from './foreign-writer.ts';
import { registryUrl } from './topics.ts';

export type TypedEvent = { [T in EventType]: { readonly type: T; readonly event: SessionEvents[T] } }[EventType];

/** Ids of other kinds start far from those of events. */
const SESSIONS_FROM = 0x5e0000;
const PERSONS_FROM = 0x9e0000;
const THINGS_FROM = 0x7e0000;

const pick = <T>(list: readonly [T, ...T[]], index: number): T => list[index % list.length] ?? list[0];

/** The n-th deviation: its own id, one of 30 sessions, every `tipo` in turn, 0 to 3 evidence ids. */
export const deviationNo = (n: number): AgentDeviation =>
  aDeviation({
    eventId: uuidNo(n),
    sessionId: uuidNo(SESSIONS_FROM + (n % 30)),
    occurredAt: NOON_MS + n,
    tipo: pick(TIPOS, n),
    evidenceEventIds: Array.from({ length: n % 4 }, (_, index) => uuidNo(10 * n + index)),
  });

export const deviationsFrom = (first: number, count: number): readonly TypedEvent[] =>
  Array.from({ length: count }, (_, index) => ({ type: AGENT_DEVIATION, event: deviationNo(first + index) }));

/**
 * The n-th projectable event, of few persons, competencies and facts, so that many events meet in one node or edge; the
 * clock goes back and forth and stands still, so that neither the order of arrival nor the time alone decides.
 */
export const projectableNo = (n: number): TypedEvent => {
  const given = {
    eventId: uuidNo(n),
    sessionId: uuidNo(SESSIONS_FROM + (n % 30)),
    occurredAt: NOON_MS + ((n * 7_919) % 40),
    personId: uuidNo(PERSONS_FROM + (n % 5)),
  };
  return n % 3 === 0
    ? { type: 'anamnese.fact_accepted', event: aFact({ ...given, factId: uuidNo(THINGS_FROM + (n % 7)) }) }
    : {
        type: 'anamnese.proficiency_emitted',
        event: aProficiency({ ...given, competencyId: uuidNo(THINGS_FROM + (n % 4)), level: pick(LEVELS, n) }),
      };
};

export const projectablesFrom = (first: number, count: number): readonly TypedEvent[] =>
  Array.from({ length: count }, (_, index) => projectableNo(first + index));

export interface EventRecord {
  readonly key: string;
  readonly value: Buffer;
  readonly headers: Headers;
}

/** Making one compiles the schema. */
const encoders = new Map(EVENT_TYPES.map((type) => [type, createEncoder<EventType>(type)]));

/** Under which id the registry knows each of these types. */
export const idsOf = async (
  types: readonly EventType[],
  at: string = registryUrl(),
): Promise<ReadonlyMap<EventType, number>> => {
  const registry = createRegistry({ url: at });
  const ids = new Map<EventType, number>();
  for (const type of types) ids.set(type, await registeredId(registry, type));
  return ids;
};

export const recordsUnder = (
  ids: ReadonlyMap<EventType, number>,
  events: readonly TypedEvent[],
): readonly EventRecord[] =>
  events.map((one) => ({
    key: one.event.sessionId,
    value: framed(ids.get(one.type) ?? 0, encoders.get(one.type)?.encode(one.event) ?? Buffer.alloc(0)),
    headers: one.type === AGENT_DEVIATION ? deviationHeaders(one.event, undefined) : eventHeaders(one.type, one.event),
  }));

/** Answers the records of events under the ids of the registry that the tests share. */
export const recordsOf = async (
  events: readonly TypedEvent[],
  at: string = registryUrl(),
): Promise<readonly EventRecord[]> =>
  recordsUnder(await idsOf([...new Set(events.map((one) => one.type))], at), events);
