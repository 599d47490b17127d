/** One deviation on a screen, and as one object for programs. */
import type { KnownEvidence, RecordOfRow } from '../../consumer/index.ts';
import { briefId, briefTipo } from '../output/brief.ts';
import { deviationJson } from '../output/deviations.ts';
import { type Column, type Format, print } from '../output/format.ts';
import type { Screen } from '../output/screen.ts';
import { renderFields } from '../output/table.ts';
import type { Looked, Part } from './look.ts';

interface Field {
  readonly name: string;
  readonly value: string;
}

const RECORD_SAYS = {
  same: 'the same as the row',
  another: 'another one: the topic holds something else at this place',
  unchecked: 'there; set SCHEMA_REGISTRY_URL to have its body read',
  deleted: 'deleted by retention: the row outlives it',
  beyond: 'not there: the log ends before this place',
  passed: 'not there: compacted away, or a marker',
} as const satisfies Record<Exclude<RecordOfRow['kind'], 'unreadable'>, string>;

const recordText = (record: Part<RecordOfRow>): string => {
  switch (record.kind) {
    case 'known':
      return record.value.kind === 'unreadable'
        ? `unreadable by now: ${record.value.reason}`
        : RECORD_SAYS[record.value.kind];
    case 'not-configured':
      return `not read: set ${record.setting} to see it, and its headers`;
    case 'failed':
      return `not read: ${record.error.code}`;
    default:
      return record satisfies never;
  }
};

const schemaText = ({ row, schemaVersion }: Looked): string => {
  const id = `id ${row.schemaId}`;
  switch (schemaVersion.kind) {
    case 'known':
      return schemaVersion.value === undefined
        ? `${id}, of no version that the registry has`
        : `${id}, version ${schemaVersion.value}`;
    case 'not-configured':
      return `${id}; set ${schemaVersion.setting} to see its version`;
    case 'failed':
      return `${id}; its version is not known: ${schemaVersion.error.code}`;
    default:
      return schemaVersion satisfies never;
  }
};

const fromTopicOf = ({ record }: Looked) =>
  record.kind === 'known' && 'fromTopic' in record.value ? record.value.fromTopic : undefined;

const fieldsOf = (looked: Looked): readonly Field[] => {
  const { row, namedBy } = looked;
  const fromTopic = fromTopicOf(looked);
  return [
    { name: 'eventId', value: row.eventId },
    { name: 'tipo', value: row.tipo },
    { name: 'agente', value: row.agente },
    { name: 'occurredAt', value: row.occurredAt },
    { name: 'sessionId', value: row.sessionId },
    { name: 'projectId', value: row.projectId },
    { name: 'actor', value: row.actor },
    { name: 'traceId', value: row.traceId ?? '-' },
    { name: 'namedBy', value: `${namedBy} other deviation${namedBy === 1 ? '' : 's'}` },
    { name: 'place', value: `${row.topic} partition ${row.partition} offset ${row.offset}` },
    { name: 'recordTime', value: fromTopic?.recordTime ?? '-' },
    { name: 'recordedAt', value: row.recordedAt },
    { name: 'schema', value: schemaText(looked) },
    { name: 'contentHash', value: row.contentHash },
    { name: 'record', value: recordText(looked.record) },
  ];
};

const headerFields = (looked: Looked): readonly Field[] => {
  const fromTopic = fromTopicOf(looked);
  if (fromTopic === undefined) return [];
  const { headers, otherHeaders } = fromTopic;
  return [
    ...Object.entries(headers).map(([name, value]) => ({ name, value })),
    ...(otherHeaders === 0 ? [] : [{ name: 'others', value: `${otherHeaders}, not shown: not ours` }]),
  ];
};

const evidenceColumns = (sessionId: string): readonly Column<KnownEvidence>[] => [
  { heading: 'evidence', of: ({ eventId }) => eventId, isWhole: true },
  {
    heading: 'a deviation',
    of: ({ stored }) => (stored === undefined ? '-' : `${stored.tipo} of ${stored.agente}`),
    brief: ({ stored }) => (stored === undefined ? '-' : `${briefTipo(stored.tipo)} of ${stored.agente}`),
  },
  {
    heading: 'session',
    of: ({ stored }) => {
      if (stored === undefined) return '-';
      return stored.sessionId === sessionId ? 'this one' : briefId(stored.sessionId);
    },
    spared: 2,
  },
  {
    heading: 'named by others',
    of: ({ namedByOthers }) => String(namedByOthers),
    isNumber: true,
    isWhole: true,
    spared: 3,
  },
];

const evidenceJson = ({ eventId, stored, namedByOthers }: KnownEvidence): Readonly<Record<string, unknown>> => ({
  eventId,
  stored:
    stored === undefined
      ? null
      : {
          sessionId: stored.sessionId,
          agente: stored.agente,
          tipo: stored.tipo,
          occurredAt: stored.occurredAt,
        },
  namedByOthers,
});

const toJson = (looked: Looked): Readonly<Record<string, unknown>> => {
  const { row, record, schemaVersion, evidence, namedBy } = looked;
  const fromTopic = fromTopicOf(looked);
  const { _meta, ...event } = deviationJson(row);
  return {
    ...event,
    _meta: {
      ...(_meta as object), // an object literal of that function
      recordTime: fromTopic?.recordTime ?? null,
      key: fromTopic?.key ?? null,
      schemaVersion: schemaVersion.kind === 'known' ? (schemaVersion.value ?? null) : null,
      traceId: row.traceId,
      contentHash: row.contentHash,
      record: record.kind === 'known' ? record.value.kind : null,
    },
    _headers: fromTopic?.headers ?? null,
    _otherHeaders: fromTopic?.otherHeaders ?? null,
    _evidence: evidence.map(evidenceJson),
    _namedBy: namedBy,
  };
};

const FIELD_COLUMNS: readonly Column<Field>[] = [
  { heading: 'field', of: ({ name }) => name },
  { heading: 'value', of: ({ value }) => value },
];

const evidenceFields = ({ evidence }: Looked): readonly Field[] =>
  evidence.map(({ eventId }) => ({ name: 'evidenceEventId', value: eventId }));

export const printLooked = async (looked: Looked, screen: Screen, format: Format): Promise<void> => {
  if (format === 'ndjson' || format === 'json') {
    await print({ records: [looked], columns: [], toJson }, screen, format);
    return;
  }
  const [fields, headers] = [fieldsOf(looked), headerFields(looked)];
  if (format !== 'table') {
    const records = [...fields, ...headers, ...evidenceFields(looked)];
    await print({ records, columns: FIELD_COLUMNS, toJson: () => ({}) }, screen, format);
    return;
  }
  for (const line of renderFields(fields, screen)) await screen.print(line);
  if (headers.length > 0) {
    await screen.print('');
    await screen.print(screen.paint.bold('Headers of the record'));
    for (const line of renderFields(headers, screen)) await screen.print(line);
  }
  await screen.print('');
  if (looked.evidence.length === 0) await screen.print('It names no evidence.');
  else {
    const columns = evidenceColumns(looked.row.sessionId);
    await print({ records: looked.evidence, columns, toJson: evidenceJson }, screen, 'table');
  }
};
