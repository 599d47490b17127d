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

/** As it is handed over and stored: neither thread reads again what it only passes on. */
export interface StorableSubmission {
  readonly eventId: string;
  readonly key: string;
  /** JSON. */
  readonly headers: string;
  readonly body: Uint8Array;
  readonly schemaHash: string;
  readonly contentHash: string;
  /** By `countsText`. */
  readonly counts: string;
}

/** The counts as six numbers without their names: a million of them are remembered. */
export const countsText = ({ discardedFields, evidence }: AnswerCounts): string => {
  const { kept, duplicates, malformed, unknown, overCeiling } = evidence;
  return `[${discardedFields},${kept},${duplicates},${malformed},${unknown},${overCeiling}]`;
};

export const countsIn = (text: string): AnswerCounts => {
  const [discardedFields = 0, kept = 0, duplicates = 0, malformed = 0, unknown = 0, overCeiling = 0] = JSON.parse(
    text,
  ) as readonly number[]; // written by `countsText`
  return { discardedFields, evidence: { kept, duplicates, malformed, unknown, overCeiling } };
};

export const storable = (submission: Submission): StorableSubmission => ({
  eventId: submission.eventId,
  key: submission.key,
  headers: JSON.stringify(submission.headers),
  body: submission.body,
  schemaHash: submission.schemaHash,
  contentHash: submission.contentHash,
  counts: countsText(submission.counts),
});

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
