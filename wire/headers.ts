/** CloudEvents 1.0 in Kafka's binary mode, as an allow-list. The body is the authority; the headers only repeat it. */
import {
  AGENT_DEVIATION,
  type AgentDeviation,
  type Envelope,
  type EventType,
  isAgentId,
  isCanonicalUuid,
  isTipo,
} from '../schemas/index.ts';
import { CONTENT_TYPE, EVENT_SOURCE } from './names.ts';

export type Headers = Readonly<Record<string, string>>;

/** What a client may hand over for one header: kafkajs gives a list for a repeated one, and null for an empty one. */
export type RawHeaders = Readonly<Record<string, Buffer | string | (Buffer | string)[] | null | undefined>>;

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** W3C trace context, the one header a caller has a say in; anything else than a valid one is left out. */
export const validTraceparent = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length === 55 && TRACEPARENT.test(value) ? value : undefined;

/** The trace id within a traceparent: 32 hexadecimal digits. */
export const traceIdOf = (traceparent: string | undefined): string | undefined => traceparent?.slice(3, 35);

const envelopeHeaders = (type: EventType, event: Envelope) => ({
  ce_specversion: '1.0',
  ce_id: event.eventId,
  ce_type: type,
  ce_source: EVENT_SOURCE,
  ce_subject: event.sessionId,
  ce_time: new Date(event.occurredAt).toISOString(),
});

export const deviationHeaders = (event: AgentDeviation, traceparent: string | undefined): Headers => ({
  ...envelopeHeaders(AGENT_DEVIATION, event),
  ce_tipo: event.tipo,
  ce_agente: event.agente,
  'content-type': CONTENT_TYPE,
  // Publishing a header without a value throws in kafkajs, so an absent one has no key.
  ...(traceparent === undefined ? {} : { traceparent }),
});

/** For the other event types of the topic, which name no agent. */
export const eventHeaders = (type: EventType, event: Envelope): Headers => ({
  ...envelopeHeaders(type, event),
  'content-type': CONTENT_TYPE,
});

const TYPE_GRAMMAR = /^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)*$/;
const isTime = (value: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/.test(value);

/** A header may be shown only if its name is here and its value is of the form our own have. */
const ALLOWED = {
  ce_specversion: (value) => value === '1.0',
  ce_id: isCanonicalUuid,
  ce_type: (value) => value.length <= 64 && TYPE_GRAMMAR.test(value),
  ce_source: (value) => value === EVENT_SOURCE,
  ce_subject: isCanonicalUuid,
  ce_time: isTime,
  ce_tipo: isTipo,
  ce_agente: isAgentId,
  'content-type': (value) => value === CONTENT_TYPE,
  traceparent: (value) => validTraceparent(value) !== undefined,
} as const satisfies Readonly<Record<string, (value: string) => boolean>>;

export type AllowedHeader = keyof typeof ALLOWED;

const isAllowed = (name: string): name is AllowedHeader => Object.hasOwn(ALLOWED, name);

/** One header's text, when it is there exactly once. */
const single = (value: RawHeaders[string]): string | undefined => {
  if (typeof value === 'string') return value;
  return Buffer.isBuffer(value) ? value.toString('utf8') : undefined;
};

/** Undefined when it is absent, there twice, or not of the form our own have. */
export const readHeader = (raw: RawHeaders | undefined, name: AllowedHeader): string | undefined => {
  const text = single(raw?.[name]);
  return text !== undefined && ALLOWED[name](text) ? text : undefined;
};

export interface ReadHeaders {
  readonly known: Headers;
  /** How many were left aside: foreign names, foreign values, null or repeated ones. */
  readonly others: number;
}

export const readHeaders = (raw: RawHeaders | undefined): ReadHeaders => {
  const known: Record<string, string> = {};
  let others = 0;
  for (const name of Object.keys(raw ?? {})) {
    const text = isAllowed(name) ? readHeader(raw, name) : undefined;
    if (text !== undefined) known[name] = text;
    else others += 1;
  }
  return { known, others };
};
