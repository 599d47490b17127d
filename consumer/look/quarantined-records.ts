/** The records that quarantine entries point to, read again from the topic, and whether they are still the same. */
import { EVENT_TYPES, shownActor } from '../../schemas/index.ts';
import { type IdContract, kafka, type SchemaId, type SchemaLookup } from '../../wire/index.ts';
import { type QuarantineEntry, shownRecordTime } from '../store/quarantine-entry.ts';
import { contractsFor } from '../stream/contracts.ts';
import { readRecord } from '../stream/read-record.ts';
import { patiently } from './patience.ts';

export interface QuarantinedReading extends kafka.OwnGroupSettings {
  readonly lookup: SchemaLookup;
  readonly signal: AbortSignal;
  /** Told the code of what does not answer. */
  readonly onWait: (code: string) => void;
}

/**
 * `deleted`: below the log's start. `passed`: compacted away. `beyond`: the log ends before it. `another`: not the record
 * that was quarantined, by its size and time; the topic was made anew.
 */
export type RecordGone = Exclude<kafka.PlaceRead['kind'], 'there'> | 'another';

export type QuarantinedRecord =
  | {
      readonly entry: QuarantineEntry;
      readonly kind: 'there';
      readonly record: kafka.SourceRecord;
      readonly contracts: ReadonlyMap<SchemaId, IdContract>;
    }
  | { readonly entry: QuarantineEntry; readonly kind: RecordGone };

const isSame = (entry: QuarantineEntry, { value, recordTimeMs }: kafka.SourceRecord): boolean =>
  entry.size === (value?.length ?? 0) && entry.recordTime === shownRecordTime(recordTimeMs);

const placeText = ({ partition, offset }: kafka.Place): string => `${partition}/${offset}`;

/** Each entry once, by partition and offset; those whose record is gone come first. */
export async function* quarantinedRecords(
  reading: QuarantinedReading,
  entries: readonly QuarantineEntry[],
): AsyncGenerator<QuarantinedRecord, void, undefined> {
  const at = Map.groupBy(entries, placeText);
  const places = [...at.values()].flatMap((ones) => ones.slice(0, 1));
  if (places.length === 0) return;
  for await (const read of kafka.readPlaces(reading, places, reading.signal)) {
    const behind = at.get(placeText(read)) ?? [];
    if (read.kind !== 'there') {
      for (const entry of behind) yield { entry, kind: read.kind };
      continue;
    }
    const { record } = read;
    const contracts = await patiently(() => contractsFor(reading.lookup, [record]), {
      signal: reading.signal,
      isEndless: false,
      onWait: reading.onWait,
    });
    if (contracts === undefined) return;
    for (const entry of behind) {
      yield isSame(entry, record) ? { entry, kind: 'there', record, contracts } : { entry, kind: 'another' };
    }
  }
}

/** An event under its schema's names, as people see it; its values passed the grammar of their fields. */
export type EventFields = Readonly<Record<string, unknown>>;

/** The fields of a record whose body is right, whatever else is wrong with it. An agent that the catalogue lacks is null. */
export const eventFields = (
  record: kafka.SourceRecord,
  contracts: ReadonlyMap<SchemaId, IdContract>,
  agents?: ReadonlySet<string>,
): EventFields | undefined => {
  const read = readRecord(record, EVENT_TYPES, contracts);
  if (read.kind !== 'ours') return undefined;
  const decoded = read.decoder.decode(read.body);
  if (!decoded.readable) return undefined;
  const { event } = decoded;
  return {
    type: read.type,
    // The decoder has built it, of the fields of our schema alone.
    ...event,
    occurredAt: new Date(event.occurredAt).toISOString(),
    actor: shownActor(event.actor),
    // Well-formed as it is, it may be anybody's name.
    ...('agente' in event && agents?.has(event.agente) === false ? { agente: null } : {}),
  };
};
