/** The record that a row was made of, read again at its place, and whether it still says what the row says. */
import { AGENT_DEVIATION } from '../../schemas/index.ts';
import { kafka, type Log, type Registry, schemaId, type SchemaLookup } from '../../wire/index.ts';
import type { StoredDeviation } from '../store/store.ts';
import { contractsFor } from '../stream/contracts.ts';
import type { Judge } from '../stream/judge.ts';
import { type FromTopic, fromTopic } from './arrived.ts';

export type RecordOfRow =
  | { readonly kind: 'same' | 'another'; readonly fromTopic: FromTopic }
  /** The sink would quarantine it now. */
  | { readonly kind: 'unreadable'; readonly reason: string; readonly fromTopic: FromTopic }
  /** There is no registry to read its body by. */
  | { readonly kind: 'unchecked'; readonly fromTopic: FromTopic }
  /** Below the log's start; above its end; a marker, or compacted away. */
  | { readonly kind: 'deleted' | 'beyond' | 'passed' };

export interface RecordParts {
  readonly kafka: kafka.KafkaSettings;
  readonly log: Log;
  /** Undefined: the body is not read. */
  readonly lookup: SchemaLookup | undefined;
  /** The sink's own. */
  readonly judge: Judge;
  readonly signal: AbortSignal;
}

/** Rejects with a StreamError when the broker or the registry is away. */
export const recordOfRow = async (row: StoredDeviation, parts: RecordParts): Promise<RecordOfRow> => {
  const { lookup, judge, signal } = parts;
  const place = { partition: row.partition, offset: kafka.offset(row.offset) };
  const read = await kafka.readPlace({ kafka: parts.kafka, topic: row.topic, log: parts.log }, place, signal);
  if (read.kind !== 'there') return { kind: read.kind };
  const shown = fromTopic(read.record);
  if (lookup === undefined) return { kind: 'unchecked', fromTopic: shown };
  const judged = judge.judge(read.record, await contractsFor(lookup, [read.record]));
  if (judged.kind === 'quarantined') return { kind: 'unreadable', reason: judged.pointer.reason, fromTopic: shown };
  const isSame = judged.kind === 'row' && judged.row.contentHash === row.contentHash;
  return { kind: isSame ? 'same' : 'another', fromTopic: shown };
};

/** The version of the subject that has the row's schema id; undefined when the registry has the text under none. */
export const schemaVersionOf = async (row: StoredDeviation, registry: Registry): Promise<number | undefined> => {
  const answer = await registry.schemaById(schemaId(row.schemaId));
  if (!answer.known) return undefined;
  return (await registry.versions(AGENT_DEVIATION)).find(({ text }) => text === answer.text)?.version;
};
