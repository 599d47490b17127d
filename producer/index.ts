/** From a report to the topic. */
export type { Report, ReportPolicy } from './check-report.ts';
export type { EvidenceLookup, ReportContext } from './context.ts';
export {
  type Answer,
  createDeviationProducer,
  createProducer,
  type DeviationProducer,
  type ProducerOptions,
  type ProducerStatus,
  type Recorded,
  reportPolicy,
} from './create-producer.ts';
export { type DryRecord, dryRun } from './dry-run.ts';
export type { EvidenceCounts } from './evidence.ts';
export { DEFAULT_LIMITS, type OutboxLimits } from './outbox/limits.ts';
export { OUTBOX_PROBLEMS, type OutboxProblem, PROBLEM_NEXT } from './outbox/problem.ts';
export { type AsideRow, discardAside, listAside, readOutboxStatus, retryAside } from './outbox/maintain.ts';
export type { OutboxStatus } from './outbox/status.ts';
export type { Recorder, RecorderState, Recording } from './recorder.ts';
export { REFUSAL_CODES, type RefusalCode, type Refused, refused } from './refusals.ts';
export { toolDefinition } from './tool/definition.ts';
export {
  type ArgumentsSchema,
  aiSdkTool,
  anthropicTool,
  DIALECTS,
  type Dialect,
  langchainTool,
  mcpTool,
  openaiTool,
  toolFor,
} from './tool/dialects.ts';
export { createHandler, type ToolHandler } from './tool/handler.ts';
export { KICKOFF_LANGUAGES, type KickoffLanguage, kickoffText } from './tool/kickoff.ts';
export { MCP_CONTEXT_KEY, type McpParts, type McpSession, serveMcp } from './tool/mcp-server.ts';
