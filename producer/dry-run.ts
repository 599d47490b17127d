/** What a report would become, judged alone: no broker, no registry, no outbox. */
import { type AgentDeviation, shownActor } from '../schemas/index.ts';
import { frame, type Headers, schemaId } from '../wire/index.ts';
import { assembleDeviation } from './assemble.ts';
import { checkReport, type Report, type ReportPolicy } from './check-report.ts';
import type { Recorded } from './create-producer.ts';
import { type Refused, refused } from './refusals.ts';
import { submissionOf } from './submission.ts';

export interface DryRecord {
  readonly key: string;
  readonly headers: Headers;
  /** Hexadecimal; the frame carries the id 0, which is no registry's. */
  readonly value: string;
  readonly schemaId: null;
  readonly decoded: Readonly<Record<string, unknown>>;
}

const shown = (event: AgentDeviation): Readonly<Record<string, unknown>> => ({
  eventId: event.eventId,
  sessionId: event.sessionId,
  projectId: event.projectId,
  occurredAt: new Date(event.occurredAt).toISOString(),
  actor: shownActor(event.actor),
  agente: event.agente,
  tipo: event.tipo,
  evidenceEventIds: event.evidenceEventIds,
});

const NO_REGISTRYS_ID = schemaId(0);

export const dryRun = async (
  report: Report,
  policy: ReportPolicy,
): Promise<(Recorded & { readonly record: DryRecord }) | Refused> => {
  const checked = await checkReport(report, policy);
  if (!checked.fine) return refused(checked.code);
  const event = assembleDeviation(checked.context, checked.report);
  const counts = { discardedFields: checked.report.discardedFields, evidence: checked.report.evidence.counts };
  const { key, headers, body } = submissionOf(event, checked.context.traceparent, counts);
  return {
    recorded: true,
    eventId: event.eventId,
    ...counts,
    record: {
      key,
      headers,
      value: frame(NO_REGISTRYS_ID, body).toString('hex'),
      schemaId: null,
      decoded: shown(event),
    },
  };
};
