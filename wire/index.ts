/** What both ends agree on: bytes, names, headers, error codes. */
export { createEncoder, type Decoded, type Decoder, type Encoder } from './codec.ts';
export { checkRegistered } from './check-registered.ts';
export { contentHash } from './content-hash.ts';
export { judgeWriter, type WriterContract } from './contract.ts';
export { codeOf, type ErrorCode, isStreamError, StreamError } from './errors.ts';
export { frame, type SchemaId, schemaId, unframe } from './frame.ts';
export {
  deviationHeaders,
  eventHeaders,
  type Headers,
  type RawHeaders,
  readHeader,
  readHeaders,
  traceIdOf,
  validTraceparent,
} from './headers.ts';
export * as kafka from './kafka/index.ts';
export { atMost, backoffMs, jittered, within } from './limit.ts';
export { type Log, type LogFields, type LogLevel, silentLog } from './log.ts';
export {
  type Consumer,
  CONSUMERS,
  DEFAULT_GROUPS,
  DEFAULT_TOPIC,
  TOOL_NAME,
} from './names.ts';
export { QUARANTINE_REASONS, QUARANTINE_STATES, type QuarantineReason, type QuarantineState } from './reasons.ts';
export { type Registered, registerSchemas } from './register.ts';
export { registeredId } from './registered.ts';
export { createRegistry, type Registry, type RegistrySettings } from './registry.ts';
export { type SqliteCode, sqliteCodeOf } from './sqlite/codes.ts';
export { openForReading } from './sqlite/open-for-reading.ts';
export { transaction } from './sqlite/transaction.ts';
export { createSchemaLookup, type IdContract, type SchemaLookup } from './schema-lookup.ts';
