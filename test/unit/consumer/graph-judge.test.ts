import { describe, expect, test } from '@jest/globals';
import { GraphEventTranslator, graphJudge } from '../../../consumer/index.ts';
import { AGENT_DEVIATION, EVENTOS_DO_LOG_PROJETAVEIS, LEVELS } from '../../../schemas/index.ts';
import { deviationHeaders, type kafka } from '../../../wire/index.ts';
import { bodyOf } from '../../support/avro-bytes.ts';
import { aDeviation, aFact, aProficiency, NOON_MS, PERSON, uuidNo } from '../../support/builders.ts';
import { aRecord, aRecordOf, CONTRACTS, IDS, withBody } from '../../support/records.ts';

const decided = (record: kafka.SourceRecord) => graphJudge.judge(record, CONTRACTS);
const madeBy = { eventId: aFact().eventId, occurredAtMs: NOON_MS };

describe('the translator', () => {
  test('makes two nodes and a level of a proficiency', () => {
    const event = aProficiency();
    expect(GraphEventTranslator.translate({ type: 'anamnese.proficiency_emitted', event })).toStrictEqual([
      { change: 'node', kind: 'person', id: PERSON, madeBy },
      { change: 'node', kind: 'competency', id: event.competencyId, madeBy },
      {
        change: 'edge',
        kind: 'proficient_in',
        fromId: PERSON,
        toId: event.competencyId,
        level: 'intermediate',
        madeBy,
      },
    ]);
  });

  test('makes two nodes and an edge without a level of a fact', () => {
    const event = aFact();
    expect(GraphEventTranslator.translate({ type: 'anamnese.fact_accepted', event })).toStrictEqual([
      { change: 'node', kind: 'person', id: PERSON, madeBy },
      { change: 'node', kind: 'fact', id: event.factId, madeBy },
      { change: 'edge', kind: 'accepted', fromId: PERSON, toId: event.factId, level: undefined, madeBy },
    ]);
  });

  test.each(LEVELS)('passes on the level %s as it is', (level) => {
    const [, , edge] = GraphEventTranslator.translate({
      type: 'anamnese.proficiency_emitted',
      event: aProficiency({ level }),
    });
    expect(edge).toMatchObject({ level });
  });
});

describe('the projection', () => {
  test('takes what is projectable and nothing else', () => {
    expect(graphJudge.takes).toEqual(EVENTOS_DO_LOG_PROJETAVEIS);
  });

  test.each(EVENTOS_DO_LOG_PROJETAVEIS)('makes changes of a record of %s', (type) => {
    expect(decided(aRecordOf(type))).toMatchObject({ kind: 'graph', changes: [{ kind: 'person' }, {}, {}] });
  });

  test.each([
    ['a deviation', aRecordOf(AGENT_DEVIATION)],
    ['a deviation with a broken body', withBody(IDS.deviation, Buffer.alloc(1))],
    ['a deviation without headers', aRecord({ headers: {} })],
    ['a deviation of a foreign contract', withBody(IDS.foreignContract, bodyOf())],
    ['a deviation of tomorrow', withBody(IDS.tomorrow, bodyOf())],
    ['a foreign type', aRecord({ value: withBody(IDS.foreignType, bodyOf()).value, headers: {} })],
  ])('passes over %s without decoding it', (_, record) => {
    expect(decided(record)).toEqual({ kind: 'filtered' });
  });

  const fact = aRecordOf('anamnese.fact_accepted');
  const asDeviation = { headers: deviationHeaders(aDeviation(), undefined) };

  test.each([
    ['a record that was sent as a deviation', 'TYPE_DISAGREES', { ...fact, ...asDeviation }, IDS.fact],
    ['a deviation that calls itself a fact', 'TYPE_DISAGREES', aRecord({ headers: fact.headers }), IDS.deviation],
    [
      'a fact under a foreign schema',
      'TYPE_DISAGREES',
      { ...fact, value: withBody(IDS.foreignType, bodyOf()).value },
      IDS.foreignType,
    ],
    [
      'a fact under another type’s schema',
      'TYPE_DISAGREES',
      { ...fact, value: aRecordOf('anamnese.proficiency_emitted').value },
      IDS.proficiency,
    ],
    ['a broken fact', 'TRUNCATED', { ...fact, value: fact.value?.subarray(0, -2) ?? null }, IDS.fact],
    ['a fact under another session’s key', 'KEY_DISAGREES', { ...fact, key: Buffer.from(uuidNo(1)) }, IDS.fact],
    ['no value', 'VALUE_NULL', { ...fact, value: null }, undefined],
    ['an unknown id', 'SCHEMA_UNKNOWN', withBody(IDS.unknown, bodyOf()), undefined],
  ])('quarantines %s as %s', (_, reason, record, schemaId) => {
    expect(decided(record)).toMatchObject({ kind: 'quarantined', pointer: { reason, offset: record.offset } });
    expect(decided(record)).toHaveProperty('pointer.schemaId', schemaId);
  });
});
