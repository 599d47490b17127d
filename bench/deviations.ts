/**
 * Deviations as they come: random ids of version 5, some fifty sessions open at a time and each over after some twenty
 * deviations, a few agents that fail more often than others, three ids of evidence on average.
 */
import { randomUUID } from 'node:crypto';
import { type AgentDeviation, type FactAccepted, TIPOS } from '../schemas/index.ts';

const OPEN_SESSIONS = 50;
const DEVIATIONS_PER_SESSION = 20;
const PROJECTS = 200;
const AGENTES = ['po', 'desenvolvedor', 'revisor', 'arquiteto', 'testador', 'documentador', 'analista-de-dados', 'ops'];
const EVIDENCE_MEAN = 3;
/** All of them within the last quarter, in order but for a minute. */
const SPAN_MS = 90 * 86_400_000;
const JITTER_MS = 60_000;

const below = (count: number): number => Math.floor(Math.random() * count);

/** The first of a list comes most often. */
const oneOf = <T>(list: readonly [T, ...T[]]): T => list[Math.floor(Math.random() ** 2 * list.length)] ?? list[0];

const uuid5 = (): string => {
  const random = randomUUID();
  return `${random.slice(0, 14)}5${random.slice(15)}`;
};

export interface Population {
  readonly agentes: readonly string[];
  deviation(): AgentDeviation;
  /** An event of another type of the topic. */
  fact(): FactAccepted;
}

/** `count`: over how many events the quarter is spread. */
export const population = (count: number): Population => {
  const projects = Array.from({ length: PROJECTS }, randomUUID);
  const session = () => ({ sessionId: randomUUID(), projectId: projects[below(PROJECTS)] ?? '' });
  const open = Array.from({ length: OPEN_SESSIONS }, session);
  const beginMs = Date.now() - SPAN_MS;
  let made = 0;

  const envelope = () => {
    const at = below(OPEN_SESSIONS);
    const mine = open[at] ?? session();
    if (below(DEVIATIONS_PER_SESSION) === 0) open[at] = session();
    made += 1;
    return {
      eventId: uuid5(),
      ...mine,
      occurredAt: Math.floor(beginMs + (made / count) * SPAN_MS - below(JITTER_MS)),
      actor: 'agent_anamnese' as const,
    };
  };

  return {
    agentes: AGENTES,
    deviation: () => ({
      ...envelope(),
      agente: oneOf(AGENTES as [string, ...string[]]), // not empty, see above
      tipo: oneOf(TIPOS),
      evidenceEventIds: Array.from({ length: below(2 * EVIDENCE_MEAN + 1) }, uuid5).sort(),
    }),
    fact: () => ({ ...envelope(), personId: randomUUID(), factId: randomUUID() }),
  };
};
