/** A record as a tool shows it: a deviation, not one, or unreadable with its reason. Never a text that a stranger wrote. */
import { EVENT_TYPES, isCanonicalUuid, shownActor } from '../../schemas/index.ts';
import { type Headers, type IdContract, type kafka, readHeaders, type SchemaId } from '../../wire/index.ts';
import type { DeviationRow, QuarantinePointer } from '../outcome.ts';
import { shownRecordTime } from '../store/quarantine-entry.ts';
import type { StoredDeviation } from '../store/store.ts';
import type { Judge } from '../stream/judge.ts';

/** What only the topic tells. */
export interface FromTopic {
  /** The topic's clock: RFC 3339 UTC with milliseconds. */
  readonly recordTime: string;
  /** Null unless it is an id, as ours are. */
  readonly key: string | null;
  /** The allow-listed ones with valid values. */
  readonly headers: Headers;
  /** How many more there are. */
  readonly otherHeaders: number;
}

/** What its row will be; no sink has recorded it as far as this knows. */
export type ArrivedDeviation = Omit<StoredDeviation, 'recordedAt'>;

export type Arrived =
  | {
      readonly kind: 'deviation';
      readonly deviation: ArrivedDeviation;
      readonly record: kafka.SourceRecord;
      readonly fromTopic: FromTopic;
    }
  | {
      readonly kind: 'unreadable';
      readonly place: TopicPlace;
      readonly pointer: QuarantinePointer;
      /** Whole, for whoever asks for it explicitly. */
      readonly record: kafka.SourceRecord;
      readonly fromTopic: FromTopic;
    }
  /** Of another type. */
  | { readonly kind: 'other' };

export interface TopicPlace {
  readonly topic: string;
  readonly partition: number;
}

/**
 * A slug or a type may be anybody's name, well-formed as it is: of an agent only those of the catalogue are shown, when
 * there is one, and of types only ours.
 */
const isOurs = (name: string, value: string, agents: ReadonlySet<string> | undefined): boolean => {
  if (name === 'ce_agente') return agents === undefined || agents.has(value);
  return name !== 'ce_type' || EVENT_TYPES.some((type) => type === value);
};

export const fromTopic = (record: kafka.SourceRecord, agents?: ReadonlySet<string>): FromTopic => {
  const { known: valid, others: invalid } = readHeaders(record.headers);
  const known = Object.fromEntries(Object.entries(valid).filter(([name, value]) => isOurs(name, value, agents)));
  const others = invalid + Object.keys(valid).length - Object.keys(known).length;
  const key = record.key?.toString('utf8');
  return {
    recordTime: shownRecordTime(record.recordTimeMs),
    key: isCanonicalUuid(key) ? key : null,
    headers: known,
    otherHeaders: others,
  };
};

export const arrivedRow = ({ topic, partition }: TopicPlace, row: DeviationRow): ArrivedDeviation => {
  const { event } = row;
  return {
    eventId: event.eventId,
    sessionId: event.sessionId,
    projectId: event.projectId,
    occurredAt: new Date(event.occurredAt).toISOString(),
    actor: shownActor(event.actor),
    agente: event.agente,
    tipo: event.tipo,
    evidenceEventIds: event.evidenceEventIds,
    topic,
    partition,
    offset: String(row.offset),
    schemaId: row.schemaId,
    contentHash: row.contentHash,
    traceId: row.traceId ?? null,
  };
};

/** By the sink's own judge, so that what is shown is what will be stored. */
export const arrivedOf = (
  place: TopicPlace,
  record: kafka.SourceRecord,
  contracts: ReadonlyMap<SchemaId, IdContract>,
  sinkJudge: Judge,
  agents: ReadonlySet<string> | undefined,
): Arrived => {
  const judged = sinkJudge.judge(record, contracts);
  switch (judged.kind) {
    case 'row':
      return {
        kind: 'deviation',
        deviation: arrivedRow(place, judged.row),
        record,
        fromTopic: fromTopic(record, agents),
      };
    case 'quarantined':
      return { kind: 'unreadable', place, pointer: judged.pointer, record, fromTopic: fromTopic(record, agents) };
    case 'filtered':
    case 'graph':
      return { kind: 'other' };
    default:
      return judged satisfies never;
  }
};
