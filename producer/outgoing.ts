/** A deviation made ready for the topic, all but the frame: which id the schema has, only the registry knows. */
import { AGENT_DEVIATION, type AgentDeviation } from '../schemas/index.ts';
import { createEncoder, deviationHeaders, type Headers } from '../wire/index.ts';

export interface OutgoingDeviation {
  /** The session id: order per session. */
  readonly key: string;
  readonly headers: Headers;
  /** The unframed Avro body. */
  readonly body: Buffer;
}

const encoder = createEncoder(AGENT_DEVIATION);

export const outgoing = (event: AgentDeviation, traceparent: string | undefined): OutgoingDeviation => ({
  key: event.sessionId,
  headers: deviationHeaders(event, traceparent),
  body: encoder.encode(event),
});
