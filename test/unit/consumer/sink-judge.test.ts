import { describe, expect, test } from '@jest/globals';
import { createSinkJudge } from '../../../consumer/index.ts';
import { AGENT_DEVIATION } from '../../../schemas/index.ts';
import { contentHash, type kafka, QUARANTINE_REASONS, type QuarantineReason, schemaId } from '../../../wire/index.ts';
import { avroArray, avroLong, avroString, bodyOf } from '../../support/avro-bytes.ts';
import { AGENTES, aDeviation, NOON_MS, uuidNo, uuids } from '../../support/builders.ts';
import { aRecord, aRecordOf, CONTRACTS, IDS, withBody } from '../../support/records.ts';

const sink = createSinkJudge({ agents: new Set(AGENTES) });
const decided = (record: kafka.SourceRecord) => sink.judge(record, CONTRACTS);

const evidence = (bytes: Buffer): kafka.SourceRecord => withBody(IDS.deviation, bodyOf({ evidence: bytes }));

type Wrong = readonly [QuarantineReason, string, kafka.SourceRecord, number | undefined];

const WRONG: readonly Wrong[] = [
  ['VALUE_NULL', 'no value', aRecord({ value: null }), undefined],
  ['VALUE_EMPTY', 'an empty value', aRecord({ value: Buffer.alloc(0) }), undefined],
  ['NOT_FRAMED', 'a JSON text', aRecord({ value: Buffer.from('{"tipo":"laco"}') }), undefined],
  ['NOT_FRAMED', '3 bytes', aRecord({ value: Buffer.alloc(3) }), undefined],
  ['SCHEMA_UNKNOWN', 'an id that the registry does not know', withBody(IDS.unknown, bodyOf()), undefined],
  ['SCHEMA_UNKNOWN', 'an id that nobody asked about', withBody(schemaId(1_234), bodyOf()), undefined],
  ['SCHEMA_UNKNOWN', 'the id 0', withBody(schemaId(0), bodyOf()), undefined],
  ['SCHEMA_UNKNOWN', 'a negative id', withBody(schemaId(-1), bodyOf()), undefined],
  ['FOREIGN_CONTRACT', 'our name on another contract', withBody(IDS.foreignContract, bodyOf()), IDS.foreignContract],
  ['TYPE_DISAGREES', 'our header on a foreign type', withBody(IDS.foreignType, bodyOf()), IDS.foreignType],
  ['TYPE_DISAGREES', 'our header on another type of ours', withBody(IDS.fact, bodyOf()), IDS.fact],
  ['TRUNCATED', 'two bytes less', withBody(IDS.deviation, bodyOf().subarray(0, -2)), IDS.deviation],
  ['TRUNCATED', 'the frame alone', withBody(IDS.deviation, Buffer.alloc(0)), IDS.deviation],
  [
    'TRAILING_BYTES',
    'zero bytes behind it',
    withBody(IDS.deviation, Buffer.concat([bodyOf(), Buffer.alloc(3)])),
    IDS.deviation,
  ],
  ['TIPO_UNKNOWN', 'a fourth kind', withBody(IDS.tomorrow, bodyOf({ tipo: avroLong(3) })), IDS.tomorrow],
  ['SYMBOL_INVALID', 'no kind at all', withBody(IDS.deviation, bodyOf({ tipo: avroLong(3) })), IDS.deviation],
  ['EVIDENCE_UNBOUNDED', '50 million items', evidence(avroLong(50_000_000)), IDS.deviation],
  ['EVIDENCE_OVER_20', '21 items', evidence(avroArray(uuids(21).map(avroString))), IDS.deviation],
  [
    'EVIDENCE_NOT_CANONICAL',
    'unsorted items',
    evidence(avroArray([uuidNo(2), uuidNo(1)].map(avroString))),
    IDS.deviation,
  ],
  [
    'ID_INVALID',
    'a text for an id',
    withBody(IDS.deviation, bodyOf({ eventId: avroString('Zulmira') })),
    IDS.deviation,
  ],
  ['TIME_OUT_OF_RANGE', 'the year 1970', withBody(IDS.deviation, bodyOf({ occurredAt: avroLong(0) })), IDS.deviation],
  ['KEY_DISAGREES', 'the key of another session', aRecord({ key: Buffer.from(uuidNo(1)) }), IDS.deviation],
  ['KEY_DISAGREES', 'no key', aRecord({ key: null }), IDS.deviation],
  [
    'AGENTE_UNKNOWN',
    'an agent that the catalogue lacks',
    aRecordOf(AGENT_DEVIATION, { agente: 'testador' }),
    IDS.deviation,
  ],
];

describe('the sink', () => {
  test.each(WRONG)('quarantines as %s a record with %s, by a pointer alone', (reason, _, record, id) => {
    expect(decided(record)).toStrictEqual({
      kind: 'quarantined',
      pointer: {
        offset: record.offset,
        reason,
        schemaId: id,
        size: record.value?.length ?? 0,
        recordTimeMs: record.recordTimeMs,
      },
    });
  });

  test('can give every reason but the two that only the database knows', () => {
    const given = new Set<string>(WRONG.map(([reason]) => reason));
    expect(QUARANTINE_REASONS.filter((reason) => !given.has(reason))).toEqual(['HASH_CLASH', 'ROW_REFUSED']);
  });

  test('makes a row of a right record, with its place, its hash and its trace', () => {
    const event = aDeviation();
    const record = aRecord({
      headers: { ...aRecord().headers, traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
    });
    expect(decided(record)).toStrictEqual({
      kind: 'row',
      row: {
        event,
        offset: record.offset,
        schemaId: IDS.deviation,
        contentHash: contentHash(event),
        traceId: '0af7651916cd43dd8448eb211c80319c',
        size: record.value?.length,
        recordTimeMs: NOON_MS + 60_000,
      },
    });
  });

  test.each([
    ['no headers', {}],
    ['null headers', { ce_type: null, traceparent: null }],
    ['repeated headers', { ce_type: [Buffer.from(AGENT_DEVIATION), Buffer.from('other.type')] }],
    ['headers of another type, for the body is the authority', { ce_type: 'anamnese.fact_accepted', ce_tipo: 'laco' }],
    ['headers of nobody', { ce_type: 'other.type', user: 'zulmira', traceparent: 'none' }],
  ])('makes a row of a right record with %s', (_, headers) => {
    expect(decided(aRecord({ headers }))).toMatchObject({
      kind: 'row',
      row: { event: aDeviation(), traceId: undefined },
    });
  });

  test('takes a known kind of a writer that knows more', () => {
    expect(decided(withBody(IDS.tomorrow, bodyOf({ tipo: avroLong(1) })))).toMatchObject({
      kind: 'row',
      row: { event: { tipo: 'cancelamento_pelo_usuario' }, schemaId: IDS.tomorrow },
    });
  });

  test.each([
    ['another type of the topic', aRecordOf('anamnese.fact_accepted')],
    ['another type with a broken body', aRecord({ value: withBody(IDS.fact, Buffer.alloc(1)).value, headers: {} })],
    [
      'a foreign type',
      aRecord({ value: withBody(IDS.foreignType, bodyOf()).value, headers: { ce_type: 'other.type' } }),
    ],
  ])('passes over %s without looking at its body', (_, record) => {
    expect(decided(record)).toEqual({ kind: 'filtered' });
  });

  test('takes any well-formed agent when it has no catalogue', () => {
    const withoutCatalogue = createSinkJudge({ agents: undefined });
    expect(withoutCatalogue.judge(aRecordOf(AGENT_DEVIATION, { agente: 'testador' }), CONTRACTS)).toMatchObject({
      kind: 'row',
    });
  });
});
