/** What tests make: right in every field unless told otherwise, so that a test names only what it is about. */
import type { ReportContext } from '../../producer/index.ts';
import type { AgentDeviation, FactAccepted, ProficiencyEmitted } from '../../schemas/index.ts';

/** The n-th of a fixed row of canonical UUIDs; their order is that of the numbers. */
export const uuidNo = (n: number): string => `018f0000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;

/** `count` ids, sorted, from the n-th on. */
export const uuids = (count: number, from = 1): readonly string[] =>
  Array.from({ length: count }, (_, index) => uuidNo(from + index));

export const SESSION = 'a1b2c3d4-0000-4000-8000-00000000000a';
export const PROJECT = 'a1b2c3d4-0000-4000-8000-00000000000b';
export const PERSON = 'a1b2c3d4-0000-4000-8000-00000000000c';
export const AGENTES = ['desenvolvedor', 'revisor'] as const;

/** 2026-11-30T12:00:00.123Z. */
export const NOON_MS = Date.UTC(2026, 10, 30, 12, 0, 0, 123);

const anEnvelope = () => ({
  eventId: 'e0000000-0000-5000-8000-000000000001',
  sessionId: SESSION,
  projectId: PROJECT,
  occurredAt: NOON_MS,
  actor: 'agent_anamnese' as const,
});

export const aDeviation = (given: Partial<AgentDeviation> = {}): AgentDeviation => ({
  ...anEnvelope(),
  agente: 'desenvolvedor',
  tipo: 'laco',
  evidenceEventIds: [],
  ...given,
});

export const aProficiency = (given: Partial<ProficiencyEmitted> = {}): ProficiencyEmitted => ({
  ...anEnvelope(),
  personId: PERSON,
  competencyId: 'c0000000-0000-4000-8000-000000000001',
  level: 'intermediate',
  ...given,
});

export const aFact = (given: Partial<FactAccepted> = {}): FactAccepted => ({
  ...anEnvelope(),
  personId: PERSON,
  factId: 'f0000000-0000-4000-8000-000000000001',
  ...given,
});

/** One right event of each type that the contract has. */
export const anEventOf = {
  'anamnese.agent_deviation': aDeviation,
  'anamnese.proficiency_emitted': aProficiency,
  'anamnese.fact_accepted': aFact,
} as const;

/** The engine's side of a report. `given` may be wrong on purpose, so its values may be anything. */
export const aContext = (given: Partial<Record<keyof ReportContext, unknown>> = {}): ReportContext =>
  ({
    sessionId: SESSION,
    projectId: PROJECT,
    toolCallId: 'call_1',
    occurredAt: '2026-11-30T12:00:00.123Z',
    ...given,
  }) as ReportContext; // what is wrong in it is what the test is about

export interface ReportParts {
  readonly context: ReportContext;
  readonly input: unknown;
}

export const anInput = (given: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> => ({
  agente: 'desenvolvedor',
  tipo: 'laco',
  evidenceEventIds: [],
  ...given,
});

export const aReport = (given: Partial<ReportParts> = {}): ReportParts => ({
  context: aContext(),
  input: anInput(),
  ...given,
});
