/** An accepted report on its way into the outbox: the deviation made ready, all but the frame, and its answer's counts. */
import { AGENT_DEVIATION, type AgentDeviation, loadSchemaText, sha256Of } from '../schemas/index.ts';
import { contentHash, createEncoder, deviationHeaders, type Headers } from '../wire/index.ts';
import type { EvidenceCounts } from './evidence.ts';

/** What the first answer said; a repeated call gets it again. */
export interface AnswerCounts {
  readonly discardedFields: number;
  readonly evidence: EvidenceCounts;
}

/** Which id the schema has, only the registry knows: the frame is added at the send, by the hash of the text. */
export interface Submission {
  readonly eventId: string;
  /** The session id: order per session. */
  readonly key: string;
  readonly headers: Headers;
  /** The unframed Avro body. */
  readonly body: Uint8Array;
  /** SHA-256 of the schema text the body is written by. */
  readonly schemaHash: string;
  /** Tells the same call from another one under its id. */
  readonly contentHash: string;
  readonly counts: AnswerCounts;
}

const encoder = createEncoder(AGENT_DEVIATION);
const schemaHash = sha256Of(loadSchemaText(AGENT_DEVIATION));

export const submissionOf = (
  event: AgentDeviation,
  traceparent: string | undefined,
  counts: AnswerCounts,
): Submission => ({
  eventId: event.eventId,
  key: event.sessionId,
  headers: deviationHeaders(event, traceparent),
  body: encoder.encode(event),
  schemaHash,
  contentHash: contentHash(event),
  counts,
});
