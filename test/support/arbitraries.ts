/** Random values of the contract, for properties. */
import fc from 'fast-check';
import { type AgentDeviation, TIME_WINDOW, TIPOS } from '../../schemas/index.ts';

export const uuid = fc
  .array(fc.constantFrom(...'0123456789abcdef'.split('')), { minLength: 32, maxLength: 32 })
  .map((digits) => digits.join('').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'));

export const slug = fc.stringMatching(/^[a-z0-9]{1,10}(-[a-z0-9]{1,9}){0,2}$/);

export const timeMs = fc.integer({ min: TIME_WINDOW.fromMs, max: TIME_WINDOW.toMs - 1 });

export const deviation: fc.Arbitrary<AgentDeviation> = fc.record({
  eventId: uuid,
  sessionId: uuid,
  projectId: uuid,
  occurredAt: timeMs,
  actor: fc.constant('agent_anamnese'),
  agente: slug,
  tipo: fc.constantFrom(...TIPOS),
  evidenceEventIds: fc.uniqueArray(uuid, { maxLength: 20 }).map((ids) => ids.sort()),
});
