import { describe, expect, test } from '@jest/globals';
import { AGENT_DEVIATION, EVENT_TYPES, loadSchemaText, publishedTexts } from '../../../schemas/index.ts';
import { judgeWriter } from '../../../wire/index.ts';
import { avroArray, avroLong, avroString, bodyOf } from '../../support/avro-bytes.ts';
import { aDeviation } from '../../support/builders.ts';
import { fieldOf, type RecordSchema, TOMORROWS_TEXT, writerText } from '../../support/schema-texts.ts';

/** The body read by the decoder of the writer's contract, which must be ours. */
const read = (text: string, body: Buffer): unknown => {
  const contract = judgeWriter(text);
  return contract.kind === 'ours' ? contract.decoder.decode(body) : contract.kind;
};

const kindOf = (text: string): string => judgeWriter(text).kind;

describe('a writer whose contract is ours', () => {
  test.each(EVENT_TYPES)('is one with our own text of %s', (type) => {
    expect(judgeWriter(loadSchemaText(type))).toMatchObject({ kind: 'ours', type });
  });

  test('may use other white space, other words for people and other limits', () => {
    const text = writerText((schema) => {
      schema.doc = 'other words';
      fieldOf(schema, 'tipo').doc = 'other words';
      fieldOf(schema, 'evidenceEventIds').type.maxItems = 50;
    });
    expect(kindOf(text)).toBe('ours');
    expect(kindOf(JSON.stringify(JSON.parse(text), null, 7))).toBe('ours');
  });

  test('may write the name dotted, without a namespace', () => {
    const text = writerText((schema) => {
      delete schema.namespace;
      schema.name = AGENT_DEVIATION;
    });
    expect(read(text, bodyOf())).toEqual({ readable: true, event: aDeviation() });
  });

  test('may write the name dotted beside a namespace, which then counts for nothing', () => {
    const text = writerText((schema) => {
      schema.namespace = 'other';
      schema.name = AGENT_DEVIATION;
      for (const name of ['actor', 'tipo']) fieldOf(schema, name).type.namespace = 'anamnese';
    });
    expect(read(text, bodyOf())).toEqual({ readable: true, event: aDeviation() });
  });

  test('may have its fields in another order, and each is read as what it is', () => {
    const text = writerText((schema) => {
      schema.fields.reverse();
    });
    const parts = [avroString('e0000000-0000-5000-8000-000000000001'), ...bodyParts()];
    expect(read(text, Buffer.concat(parts.reverse()))).toEqual({ readable: true, event: aDeviation() });
  });

  test('may know a fourth kind behind ours: the known ones are read, the fourth never becomes one of them', () => {
    expect(read(TOMORROWS_TEXT, bodyOf({ tipo: avroLong(2) }))).toEqual({
      readable: true,
      event: aDeviation({ tipo: 'reparo_pelo_usuario' }),
    });
    expect(read(TOMORROWS_TEXT, bodyOf({ tipo: avroLong(3) }))).toEqual({ readable: false, reason: 'TIPO_UNKNOWN' });
  });

  test.each([
    ['a text', 'string', avroString('somebody@example.org')],
    ['a list of texts', { type: 'array', items: 'string' }, avroArray([avroString('somebody')])],
    [
      'a map of texts',
      { type: 'map', values: 'string' },
      avroArray([Buffer.concat([avroString('a'), avroString('b')])]),
    ],
    ['a union', ['null', 'double'], avroLong(0)],
    ['an int that claims to be a time in milliseconds', { type: 'int', logicalType: 'timestamp-millis' }, avroLong(7)],
    ['an id that is none', { type: 'string', logicalType: 'uuid' }, avroString('nobody')],
    ['a time out of range', { type: 'long', logicalType: 'timestamp-millis' }, avroLong(7)],
  ])('may add %s, which is read over and dropped', (_, added, bytes) => {
    const text = writerText((schema) => {
      schema.fields.push({ name: 'extra', type: added } as unknown as RecordSchema['fields'][number]); // any Avro type will do
    });
    expect(read(text, Buffer.concat([bodyOf(), bytes]))).toStrictEqual({ readable: true, event: aDeviation() });
  });
});

/** All parts of a right body behind the event's id, in our order. */
function bodyParts(): Buffer[] {
  const event = aDeviation();
  return [
    avroString(event.sessionId),
    avroString(event.projectId),
    avroLong(event.occurredAt),
    avroLong(0),
    avroString(event.agente),
    avroLong(0),
    avroArray([]),
  ];
}

describe('a contract that is foreign under our name', () => {
  const enumOf = (schema: RecordSchema) => fieldOf(schema, 'tipo').type;

  test.each<[string, (schema: RecordSchema) => void]>([
    [
      'has the kinds in another order',
      (schema) => void (enumOf(schema).symbols = ['cancelamento_pelo_usuario', 'laco', 'reparo_pelo_usuario']),
    ],
    [
      'puts a fourth kind before ours',
      (schema) => void (enumOf(schema).symbols = ['novo', 'laco', 'cancelamento_pelo_usuario', 'reparo_pelo_usuario']),
    ],
    ['lacks a kind', (schema) => void (enumOf(schema).symbols = ['laco', 'cancelamento_pelo_usuario'])],
    ['gives the kinds a default', (schema) => void (enumOf(schema).default = 'laco')],
    ['names the enum otherwise', (schema) => void (enumOf(schema).name = 'Kind')],
    ['has a second actor', (schema) => void (fieldOf(schema, 'actor').type.symbols = ['agent_anamnese', 'user'])],
    ['lacks a field', (schema) => void schema.fields.pop()],
    ['names a field otherwise', (schema) => void (fieldOf(schema, 'agente').name = 'agent')],
    ['has an id without its logical type', (schema) => void (fieldOf(schema, 'eventId').type = { type: 'string' })],
    ['has a free text for the agent', (schema) => void (fieldOf(schema, 'agente').type.logicalType = 'uuid')],
    [
      'has the time in another unit',
      (schema) => void (fieldOf(schema, 'occurredAt').type.logicalType = 'timestamp-micros'),
    ],
    ['has the time as a number of 32 bits', (schema) => void (fieldOf(schema, 'occurredAt').type.type = 'int')],
    ['lets the evidence be texts', (schema) => void (fieldOf(schema, 'evidenceEventIds').type.items = 'string')],
    [
      'makes a field optional',
      (schema) => void (fieldOf(schema, 'agente').type = ['null', 'string'] as unknown as RecordSchema),
    ], // a union is a list
    ['is no schema beyond its name', (schema) => void (schema.fields = [])],
    ['is no schema that Avro takes', (schema) => void schema.fields.push({ name: 'extra', type: { type: 'nothing' } })],
    ['has a field twice', (schema) => void schema.fields.push({ name: 'tipo', type: { type: 'string' } })],
  ])('%s', (_, change) => {
    expect(judgeWriter(writerText(change))).toEqual({ kind: 'foreign-contract', type: AGENT_DEVIATION });
  });

  test('has the time annotation beside the type instead of inside it', () => {
    const text = writerText((schema) => {
      const field = fieldOf(schema, 'occurredAt');
      Object.assign(field, { type: 'long', logicalType: 'timestamp-millis' });
    });
    expect(kindOf(text)).toBe('foreign-contract');
  });
});

describe('a foreign type', () => {
  test.each([
    ['another name', writerText((schema) => void (schema.name = 'agent_deviations'))],
    ['another namespace', writerText((schema) => void (schema.namespace = 'other'))],
    ['no namespace', writerText((schema) => void delete schema.namespace)],
    [
      'a dotted name that overrules the namespace',
      writerText((schema) => void (schema.name = 'other.agent_deviation')),
    ],
    ['an enum of our name', '{"type":"enum","namespace":"anamnese","name":"agent_deviation","symbols":["a"]}'],
    ['a plain string', '"string"'],
    ['a JSON schema', '{"type":"object","properties":{}}'],
    ['a Protobuf text', 'syntax = "proto3";'],
    ['nothing', ''],
    ['null', 'null'],
    ['a list', '[]'],
    ['a name of a prototype', '{"type":"record","name":"constructor","fields":[]}'],
  ])('is %s', (_, text) => {
    expect(judgeWriter(text)).toEqual({ kind: 'foreign-type' });
  });
});

describe('a hostile writer', () => {
  test('whose record holds itself without end is answered, not followed', () => {
    const text = writerText((schema) => {
      schema.fields.push({ name: 'again', type: AGENT_DEVIATION as unknown as RecordSchema }); // a type by its name
    });
    expect(judgeWriter(text).kind).toBe('ours');
    expect(read(text, bodyOf())).toMatchObject({ readable: false });
  });
});

describe('a text that was published once', () => {
  const published = EVENT_TYPES.flatMap((type) => publishedTexts(type).map((text) => ({ type, text })));

  test('is ours for ever, since old records name it', () => {
    expect(published.length).toBeGreaterThanOrEqual(EVENT_TYPES.length);
    for (const { type, text } of published) expect(judgeWriter(text)).toMatchObject({ kind: 'ours', type });
  });
});
