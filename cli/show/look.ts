/** Everything about one deviation: what the table, the topic and the registry know of it. One that is away hides no other. */
import {
  createSinkJudge,
  type EvidenceOf,
  evidenceOf,
  type RecordOfRow,
  recordOfRow,
  schemaVersionOf,
  type StoredDeviation,
  type StoreReader,
} from '../../consumer/index.ts';
import { createRegistry, createSchemaLookup, isStreamError, type Log, type StreamError } from '../../wire/index.ts';
import type { Config } from '../config.ts';
import type { SettingName } from '../settings.ts';

/** What a part of the answer is: there, not asked for want of a setting, or not to be had. */
export type Part<T> =
  | { readonly kind: 'known'; readonly value: T }
  | { readonly kind: 'not-configured'; readonly setting: SettingName }
  | { readonly kind: 'failed'; readonly error: StreamError };

export interface Looked extends EvidenceOf {
  readonly row: StoredDeviation;
  readonly record: Part<RecordOfRow>;
  /** Undefined: the registry has the text under no version. */
  readonly schemaVersion: Part<number | undefined>;
}

const partOf = async <T>(config: Config, setting: SettingName, work: () => Promise<T>): Promise<Part<T>> => {
  if (!config.has(setting)) return { kind: 'not-configured', setting };
  try {
    return { kind: 'known', value: await work() };
  } catch (error) {
    if (isStreamError(error)) return { kind: 'failed', error };
    throw error;
  }
};

export const lookAt = async (
  row: StoredDeviation,
  reader: StoreReader,
  { config, log, signal }: { readonly config: Config; readonly log: Log; readonly signal: AbortSignal },
): Promise<Looked> => {
  const registry = config.has('SCHEMA_REGISTRY_URL') ? createRegistry(config.registry()) : undefined;
  const lookup = registry === undefined ? undefined : createSchemaLookup(registry);
  const judge = createSinkJudge({ agents: undefined });
  const [known, schemaVersion, record] = await Promise.all([
    evidenceOf(row, reader),
    partOf(config, 'SCHEMA_REGISTRY_URL', () =>
      registry === undefined ? Promise.resolve(undefined) : schemaVersionOf(row, registry),
    ),
    partOf(config, 'KAFKA_BROKERS', () => recordOfRow(row, { kafka: config.kafka(), log, lookup, judge, signal })),
  ]);
  return { row, ...known, record, schemaVersion };
};
