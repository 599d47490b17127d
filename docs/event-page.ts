/** docs/event.md: what the contract says, field by field. */
import {
  AGENT_DEVIATION,
  AGENT_ID_MAX_LENGTH,
  type EventType,
  isProjectable,
  loadSchemaTexts,
  readGovernance,
  TIME_WINDOW,
} from '../schemas/index.ts';

interface SchemaType {
  readonly type: string;
  readonly logicalType?: string;
  readonly name?: string;
  readonly symbols?: readonly string[];
  readonly items?: SchemaType;
  readonly maxItems?: number;
  readonly doc?: string;
}

interface SchemaField {
  readonly name: string;
  readonly type: SchemaType;
  readonly doc: string;
}

interface Schema {
  readonly doc: string;
  readonly fields: readonly SchemaField[];
}

const ENVELOPE_FIELDS = 5;

const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const RULES: Readonly<Record<string, string>> = {
  uuid: '8-4-4-4-12 lower-case hexadecimal digits',
  'agent-id': `\`[a-z0-9]+(-[a-z0-9]+)*\`, at most ${AGENT_ID_MAX_LENGTH} characters`,
  'timestamp-millis': `milliseconds since 1970-01-01 UTC, from ${day(TIME_WINDOW.fromMs)} up to, not including, ${day(TIME_WINDOW.toMs)}`,
};

const shape = (type: SchemaType): string => {
  switch (type.type) {
    case 'array':
      return `list of ${type.items === undefined ? '?' : shape(type.items)}, at most ${type.maxItems}`;
    case 'enum':
      return `enum \`${type.name}\``;
    default:
      return `${type.type}, \`${type.logicalType}\``;
  }
};

const rule = (type: SchemaType): string => {
  switch (type.type) {
    case 'array':
      return `each: ${type.items === undefined ? '' : rule(type.items)}`;
    case 'enum':
      return (type.symbols ?? []).map((symbol) => `\`${symbol}\``).join(', ');
    default:
      return RULES[type.logicalType ?? ''] ?? '';
  }
};

const table = (fields: readonly SchemaField[]): readonly string[] => [
  '| field | Avro type | values | meaning |',
  '| --- | --- | --- | --- |',
  ...fields.map(({ name, type, doc }) => `| \`${name}\` | ${shape(type)} | ${rule(type)} | ${doc} |`),
];

const vocabularies = (fields: readonly SchemaField[]): readonly string[] =>
  fields.flatMap(({ type }) => (type.type === 'enum' ? ['', `\`${type.name}\`: ${type.doc}`] : []));

/** The envelope is told once, each further type by what it adds. */
const section = (type: EventType, schema: Schema): readonly string[] => {
  const own = schema.fields.slice(ENVELOPE_FIELDS);
  const readers =
    type === AGENT_DEVIATION
      ? 'Stored in `session_events` by the sink. Never projected into the graph.'
      : `${isProjectable(type) ? 'Projected into the graph.' : 'Not projected.'} Filtered by the sink.`;
  return ['', `## ${type}`, '', schema.doc, '', readers, '', ...table(own), ...vocabularies(own)];
};

const HEADERS = [
  ['ce_specversion', 'the constant `1.0`'],
  ['ce_id', 'the event id'],
  ['ce_type', 'the event type'],
  ['ce_source', 'the constant `/anamnese`'],
  ['ce_subject', 'the session id'],
  ['ce_time', '`occurredAt` as RFC 3339 in UTC, with milliseconds'],
  ['ce_tipo', '`tipo` (deviations only)'],
  ['ce_agente', '`agente` (deviations only)'],
  ['content-type', 'the constant `application/avro`'],
  ['traceparent', 'W3C trace context, when the engine gives a valid one (deviations only)'],
] as const;

export const eventPage = (): string => {
  const schemas = loadSchemaTexts().map(({ type, text }) => ({ type, schema: JSON.parse(text) as Schema })); // our own, linted
  const envelope = schemas[0]?.schema.fields.slice(0, ENVELOPE_FIELDS) ?? [];
  return [
    '# The events, field by field',
    '',
    '<!-- Made from schemas/*.avsc by `npm run docs`; `npm run check` fails when it is not what they say. -->',
    '',
    'A record of the topic `session-events` is a zero byte, the schema id as a big-endian int32, and the Avro body. Its key',
    'is the session id as text, so that a session keeps its order. Its time is the time of arrival; the time of the event is',
    '`occurredAt`. Every string is an id of a known kind, checked when it is written and when it is read: there is no field',
    'for free text.',
    '',
    '## The envelope',
    '',
    'The first five fields of every type.',
    '',
    ...table(envelope),
    ...vocabularies(envelope),
    ...schemas.flatMap(({ type, schema }) => section(type, schema)),
    '',
    '## Headers',
    '',
    'CloudEvents 1.0 in binary mode. These and no others; the body is the authority, the headers repeat it for tools without',
    'Avro.',
    '',
    '| header | value |',
    '| --- | --- |',
    ...HEADERS.map(([name, value]) => `| \`${name}\` | ${value} |`),
    '',
    '## Changes of the contract',
    '',
    'Every text ever published stands in `schemas/published.lock.json`, every change with its rule in `schemas/rules.json`.',
    '',
    '| rule | type | change | level after |',
    '| --- | --- | --- | --- |',
    ...readGovernance().ledger.map(
      ({ rn, type, what, level }) => `| ${rn} | \`${type}\` | ${what.join('; ')} | ${level} |`,
    ),
    '',
    'To change a schema: edit the file; `deviations schema lint`; `deviations schema diff` says what the change means;',
    '`deviations schema lock --rn RN-…` records it; `npm run docs`. To deploy it: `deviations schema register`. A change of a',
    'vocabulary is the one that the level refuses: deploy the consumers first, then `deviations schema register --rn RN-…`',
    'sets BACKWARD_TRANSITIVE, registers, and sets FULL for good, saying each step; interrupted, it goes on when run again.',
    '',
  ].join('\n');
};
