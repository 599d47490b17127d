/** The deviation as a type, with its closed words and its limits. Shape and rules: anamnese.agent_deviation.avsc. */
import type { Envelope } from './envelope.ts';

export const TIPOS = ['laco', 'cancelamento_pelo_usuario', 'reparo_pelo_usuario'] as const;
export type Tipo = (typeof TIPOS)[number];

/** `includes`, so that `constructor` and other names of a prototype are not words of the vocabulary. */
export const isTipo = (value: unknown): value is Tipo => (TIPOS as readonly unknown[]).includes(value);

/** At most so many ids of evidence in an event (ADR 0205, decision 2). */
export const EVIDENCE_CEILING = 20;

export interface AgentDeviation extends Envelope {
  /** Slug of the agent that deviated. */
  readonly agente: string;
  readonly tipo: Tipo;
  /** 0 to 20 canonical UUIDs, sorted, no duplicates. */
  readonly evidenceEventIds: readonly string[];
}
