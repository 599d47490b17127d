/** What the outbox would send, without an outbox: for the loops that the relay is held against. */
import { randomUUID } from 'node:crypto';
import { AGENT_DEVIATION, type AgentDeviation } from '../schemas/index.ts';
import { createEncoder, deviationHeaders, frame, type kafka, type SchemaId } from '../wire/index.ts';
import { evidence, projectId, sessionId } from './reports.ts';

export const RELAYED = 100_000;
export const BATCH = 400;
/** Sent before the clock runs: by each loop and by the relay alike, in code that is not compiled yet. */
export const WARM_BATCHES = 50;

type Batch = readonly kafka.OutgoingRecord[];

export const bareBatches = (id: SchemaId): readonly Batch[] => {
  const encoder = createEncoder(AGENT_DEVIATION);
  const record = (): kafka.OutgoingRecord => {
    const event: AgentDeviation = {
      eventId: randomUUID(),
      sessionId,
      projectId,
      occurredAt: Date.now(),
      actor: 'agent_anamnese',
      agente: 'po',
      tipo: 'laco',
      evidenceEventIds: [...evidence].sort(),
    };
    return { key: sessionId, headers: deviationHeaders(event, undefined), value: frame(id, encoder.encode(event)) };
  };
  return Array.from({ length: RELAYED / BATCH }, () => Array.from({ length: BATCH }, record));
};

/** Records a second of a loop that sends one batch after the other. */
export const loopRate = async (
  batches: readonly Batch[],
  send: (batch: Batch) => Promise<unknown>,
): Promise<number> => {
  for (const batch of batches.slice(0, WARM_BATCHES)) await send(batch);
  const begin = performance.now();
  for (const batch of batches) await send(batch);
  return (RELAYED / (performance.now() - begin)) * 1_000;
};
