/** How a stored deviation is shown, in every form. */
import type { StoredDeviation } from '../../consumer/index.ts';
import { briefId, briefTime, briefTipo } from './brief.ts';
import type { Column, Shape } from './format.ts';

export const DEVIATION_COLUMNS: readonly Column<StoredDeviation>[] = [
  {
    heading: 'occurredAt',
    of: ({ occurredAt }) => occurredAt,
    brief: ({ occurredAt }) => briefTime(occurredAt),
    isWhole: true,
  },
  { heading: 'tipo', of: ({ tipo }) => tipo, brief: ({ tipo }) => briefTipo(tipo) },
  { heading: 'agente', of: ({ agente }) => agente },
  { heading: 'evidence', of: ({ evidenceEventIds }) => String(evidenceEventIds.length), isNumber: true, spared: 3 },
  { heading: 'sessionId', of: ({ sessionId }) => sessionId, brief: ({ sessionId }) => briefId(sessionId), spared: 2 },
  { heading: 'eventId', of: ({ eventId }) => eventId, isWhole: true, spared: 1 },
];

/** The event's fields under their schema names at the top level, and where it lies under `_meta` (design section 7). */
export const deviationJson = (deviation: StoredDeviation): Readonly<Record<string, unknown>> => ({
  eventId: deviation.eventId,
  sessionId: deviation.sessionId,
  projectId: deviation.projectId,
  occurredAt: deviation.occurredAt,
  actor: deviation.actor,
  agente: deviation.agente,
  tipo: deviation.tipo,
  evidenceEventIds: deviation.evidenceEventIds,
  _meta: {
    topic: deviation.topic,
    partition: deviation.partition,
    offset: Number(deviation.offset),
    schemaId: deviation.schemaId,
    recordedAt: deviation.recordedAt,
  },
});

export const DEVIATION_SHAPE: Shape<StoredDeviation> = { columns: DEVIATION_COLUMNS, toJson: deviationJson };
