/** The contract: what a deviation is. Looks into no other room. */
export { type AgentDeviation, EVIDENCE_CEILING, isTipo, TIPOS, type Tipo } from './agent-deviation.ts';
export { ACTORS, type Actor, type Envelope, isInTimeWindow, shownActor, TIME_WINDOW } from './envelope.ts';
export {
  AGENT_DEVIATION,
  EVENT_TYPES,
  EVENTOS_DO_LOG_PROJETAVEIS,
  type EventType,
  isProjectable,
  type ProjectableType,
  type SessionEvents,
} from './event-types.ts';
export { AGENT_ID_MAX_LENGTH, ID_KINDS, type IdKind, isAgentId, isCanonicalUuid, parseUuid } from './ids.ts';
export { checkLock } from './govern/check-lock.ts';
export { type Change, changesVocabulary, diffSchemas, type Effect, EFFECTS, isSameSchema } from './govern/diff.ts';
export type { Finding } from './govern/finding.ts';
export { lintSchemas, type SchemaText } from './govern/lint.ts';
export {
  type Contract,
  type ContractLevel,
  dueEntries,
  type LedgerEntry,
  levelOf,
  lockTexts,
  readGovernance,
  sha256Of,
  vocabularyRuleOf,
  writeGovernance,
} from './govern/lock.ts';
export { loadContract, loadSchemaText, loadSchemaTexts, publishedTexts } from './load.ts';
export { type FactAccepted, LEVELS, type Level, type ProficiencyEmitted } from './projectable-events.ts';
