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
export type { Recorder } from './recorder.ts';
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
