/**
 * The closed list of event types. A type's name is its record's full name and its subject in the registry.
 * Adding a type is one .avsc file, one line here and, if it is projectable, one case of the translator.
 */
import type { AgentDeviation } from './agent-deviation.ts';
import type { FactAccepted, ProficiencyEmitted } from './projectable-events.ts';

export interface SessionEvents {
  'anamnese.agent_deviation': AgentDeviation;
  'anamnese.proficiency_emitted': ProficiencyEmitted;
  'anamnese.fact_accepted': FactAccepted;
}

export type EventType = keyof SessionEvents;

export const AGENT_DEVIATION = 'anamnese.agent_deviation';

export const EVENT_TYPES = [
  AGENT_DEVIATION,
  'anamnese.proficiency_emitted',
  'anamnese.fact_accepted',
] as const satisfies readonly EventType[];

/**
 * The events of the log that the projection may translate into the person's graph. A deviation is not among them and
 * never will be: the graph is the person's memory, and the signal is not theirs (ADR 0205, decision 3).
 */
export const EVENTOS_DO_LOG_PROJETAVEIS = [
  'anamnese.proficiency_emitted',
  'anamnese.fact_accepted',
] as const satisfies readonly Exclude<EventType, typeof AGENT_DEVIATION>[];

export type ProjectableType = (typeof EVENTOS_DO_LOG_PROJETAVEIS)[number];

export const isProjectable = (type: EventType): type is ProjectableType =>
  (EVENTOS_DO_LOG_PROJETAVEIS as readonly EventType[]).includes(type);
