import type { AgentDeviation } from '../schemas/index.ts';
import type { CheckedReport } from './check-report.ts';
import type { CheckedContext } from './context.ts';
import { eventIdOf } from './event-id.ts';

/** The allow-list: a field travels only because it has a line here (ADR 0205, decision 2). */
export const assembleDeviation = (context: CheckedContext, report: CheckedReport): AgentDeviation => ({
  eventId: eventIdOf(context.sessionId, context.toolCallId),
  sessionId: context.sessionId,
  projectId: context.projectId,
  occurredAt: context.occurredAtMs,
  actor: 'agent_anamnese',
  agente: report.agente,
  tipo: report.tipo,
  evidenceEventIds: report.evidence.kept,
});
