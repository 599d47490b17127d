/** The event types of the topic that the projection turns into the person's graph. */
import type { Envelope } from './envelope.ts';

export const LEVELS = ['beginner', 'intermediate', 'advanced', 'expert'] as const;
export type Level = (typeof LEVELS)[number];

export interface ProficiencyEmitted extends Envelope {
  readonly personId: string;
  readonly competencyId: string;
  readonly level: Level;
}

export interface FactAccepted extends Envelope {
  readonly personId: string;
  readonly factId: string;
}
