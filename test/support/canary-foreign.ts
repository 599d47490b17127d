/** Records of a hand-made writer, careless or hostile: a mark in every field, header, key and broken frame. */
import { avroArray, avroLong, avroString } from './avro-bytes.ts';
import { CATALOGUE } from './canary-draft.ts';
import type { Planter } from './canary-plants.ts';
import { type Random, randomUuid } from './canary-random.ts';
import { framed as frame } from './foreign-writer.ts';
import { fieldOf, writerText } from './schema-texts.ts';

/** Whose schema a record is framed with. `unknown` is an id that the registry does not have. */
export const WRITERS = ['ours', 'wider', 'tomorrows', 'foreignContract', 'foreignType', 'unknown'] as const;
export type Writer = (typeof WRITERS)[number];
export type WriterIds = Readonly<Record<Writer, number>>;

/** The texts to register: words of a person in docs, in names and among the symbols. */
export const writerTexts = (
  word: string,
  doc: string,
): Readonly<Record<Exclude<Writer, 'ours' | 'unknown'>, string>> => ({
  wider: writerText((schema) => {
    schema.doc = doc;
    schema.fields.push({ name: `nota_${word}`, type: 'string' as never, doc }); // a free string is no type of ours
  }),
  tomorrows: writerText((schema) => {
    const { type } = fieldOf(schema, 'tipo');
    type.symbols = [...(type.symbols as string[]), `s_${word}`]; // our own file's symbols
  }),
  foreignContract: writerText((schema) => {
    fieldOf(schema, 'agente').type = { type: 'string', logicalType: `l_${word}` };
  }),
  foreignType: JSON.stringify({
    type: 'record',
    namespace: 'pessoa',
    name: `p_${word}`,
    doc,
    fields: [{ name: 'nome', type: 'string' }],
  }),
});

export interface ForeignRecord {
  readonly kind: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, Buffer | string | (Buffer | string)[]>>;
}

const framed = (id: number, ...parts: readonly Buffer[]): Buffer => frame(id, Buffer.concat(parts));

const NOVEMBER_MS = Date.UTC(2026, 10, 30, 12);

interface Body {
  readonly eventId: string;
  readonly sessionId: string;
  readonly projectId: string;
  readonly occurredAt: Buffer;
  readonly agente: string;
  readonly tipo: Buffer;
  readonly evidence: Buffer;
}

const bytesOf = (body: Body): Buffer =>
  Buffer.concat([
    avroString(body.eventId),
    avroString(body.sessionId),
    avroString(body.projectId),
    body.occurredAt,
    avroLong(0),
    avroString(body.agente),
    body.tipo,
    body.evidence,
  ]);

const rightBody = (random: Random): Body => ({
  eventId: randomUuid(random),
  sessionId: randomUuid(random),
  projectId: randomUuid(random),
  occurredAt: avroLong(NOVEMBER_MS),
  agente: random.pick(CATALOGUE),
  tipo: avroLong(random.below(3)),
  evidence: avroArray([avroString(randomUuid(random))]),
});

const hostileHeaders = (plant: Planter, random: Random): ForeignRecord['headers'] => {
  const text = (): string => plant.text('header value');
  return {
    [plant.text('header name')]: text(),
    [plant.bare('header name')]: Buffer.from(plant.text('header value')),
    'x-usuario': [text(), text()],
    __value_schema_id: text(),
    ce_id: plant.uuid('header value'),
    ce_subject: text(),
    ce_time: `2026-11-30T12:00:00.${plant.digits('header value')}Z`,
    ce_tipo: text(),
    ce_agente: plant.slug('header value'),
    'content-type': text(),
    traceparent: `00-${random.hex(18)}${plant.digits('header value')}-${random.hex(16)}-01-x`,
    ce_type: random.chance(0.5) ? text() : 'anamnese.agent_deviation',
  };
};

type Make = (parts: { ids: WriterIds; plant: Planter; random: Random; body: Body }) => {
  readonly value: Buffer | null;
  readonly key?: Buffer | null;
};

const field =
  (name: keyof Body, value: (plant: Planter, random: Random) => string | Buffer): Make =>
  ({ ids, plant, random, body }) => ({ value: framed(ids.ours, bytesOf({ ...body, [name]: value(plant, random) })) });

const KINDS: Readonly<Record<string, Make>> = {
  'right but for its headers': ({ ids, body }) => ({ value: framed(ids.ours, bytesOf(body)) }),
  'key of words': ({ ids, plant, body }) => ({
    value: framed(ids.ours, bytesOf(body)),
    key: Buffer.from(plant.text('key')),
  }),
  'no key': ({ ids, body }) => ({ value: framed(ids.ours, bytesOf(body)), key: null }),
  'words in eventId': field('eventId', (plant) => plant.text('eventId')),
  'words in sessionId': field('sessionId', (plant) => plant.text('sessionId')),
  'words in projectId': field('projectId', (plant) => plant.text('projectId')),
  'upper case in eventId': field('eventId', (plant, random) => plant.uuid('eventId', `ABCDEF${random.hex(2)}`)),
  'words in agente': field('agente', (plant) => plant.text('agente')),
  'name of a person in agente': field('agente', (plant) => plant.slug('agente')),
  'number in occurredAt': field('occurredAt', (plant) => avroLong(plant.number('occurredAt'))),
  'words in the evidence': field('evidence', (plant) => avroArray([avroString(plant.text('evidence'))])),
  'evidence out of order': field('evidence', (plant) =>
    avroArray([avroString(plant.uuid('evidence', 'ffff')), avroString(plant.uuid('evidence', 'aaaa'))]),
  ),
  'too much evidence': field('evidence', (plant) =>
    avroArray(Array.from({ length: 21 }, () => avroString(plant.uuid('evidence')))),
  ),
  'endless evidence': field('evidence', (plant) =>
    Buffer.concat([avroLong(50_000_000), avroString(plant.text('evidence'))]),
  ),
  'symbol that is none': field('tipo', () => avroLong(7)),
  'words behind the body': ({ ids, plant, body }) => ({
    value: framed(ids.ours, bytesOf(body), Buffer.from(plant.text('behind the body'))),
  }),
  'body cut short': ({ ids, plant, body }) => {
    const whole = bytesOf({ ...body, agente: plant.slug('body cut short') });
    return { value: framed(ids.ours, whole.subarray(0, -20)) };
  },
  'body gone through a text': ({ ids, body }) => ({
    value: Buffer.from(framed(ids.ours, bytesOf(body)).toString('utf8')),
  }),
  'JSON without a frame': ({ plant }) => ({ value: Buffer.from(JSON.stringify({ nome: plant.bare('no frame') })) }),
  'words without a frame': ({ plant }) => ({ value: Buffer.from(plant.text('no frame')) }),
  'words behind a frame': ({ ids, plant }) => ({ value: framed(ids.ours, Buffer.from(plant.text('frame'))) }),
  'other magic byte': ({ plant }) => ({ value: Buffer.from(`\u0001\u0000\u0000\u0000\u0001${plant.text('frame')}`) }),
  'three bytes': () => ({ value: Buffer.from([0, 0, 0]) }),
  'frame alone': ({ ids }) => ({ value: framed(ids.ours) }),
  'no bytes': () => ({ value: Buffer.alloc(0) }),
  'no value': () => ({ value: null }),
  'schema nobody knows': ({ ids, plant }) => ({
    value: framed(ids.unknown, Buffer.from(plant.text('unknown schema'))),
  }),
  'schema id 0': ({ plant }) => ({ value: framed(0, Buffer.from(plant.text('schema id 0'))) }),
  'schema id below 0': ({ plant }) => ({ value: framed(-7, Buffer.from(plant.text('schema id below 0'))) }),
  'further field': ({ ids, plant, body }) => ({
    value: framed(ids.wider, bytesOf(body), avroString(plant.text('further field'))),
  }),
  'symbol of tomorrow': ({ ids, body }) => ({ value: framed(ids.tomorrows, bytesOf({ ...body, tipo: avroLong(3) })) }),
  'contract of another': ({ ids, plant, body }) => ({
    value: framed(ids.foreignContract, bytesOf({ ...body, agente: plant.text('contract of another') })),
  }),
  'type of another': ({ ids, plant }) => ({
    value: framed(ids.foreignType, avroString(plant.text('type of another'))),
  }),
};

export const FOREIGN_KINDS = Object.keys(KINDS);

export const foreignRecord = (kind: string, ids: WriterIds, plant: Planter, random: Random): ForeignRecord => {
  const make = KINDS[kind];
  if (make === undefined) throw new Error(`there is no kind ${kind}`);
  const body = rightBody(random);
  const { value, key } = make({ ids, plant, random, body });
  return {
    kind,
    value,
    key: key === undefined ? Buffer.from(body.sessionId) : key,
    headers: hostileHeaders(plant, random),
  };
};
