/**
 * Tells a repeat from a clash: SHA-256 of a JSON array of the deviation's values as they are in Avro, without
 * `occurredAt`, since the same call may be reported again under another clock (design section 5).
 */
import { hash } from 'node:crypto';
import type { AgentDeviation } from '../schemas/index.ts';

/** 64 lower-case hexadecimal digits. */
export const contentHash = (event: AgentDeviation): string =>
  hash(
    'sha256',
    JSON.stringify([
      event.eventId,
      event.sessionId,
      event.projectId,
      event.actor,
      event.agente,
      event.tipo,
      event.evidenceEventIds,
    ]),
  );
