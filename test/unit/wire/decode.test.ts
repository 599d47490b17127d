import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { AGENT_DEVIATION, isTipo, loadSchemaText } from '../../../schemas/index.ts';
import { createDecoder } from '../../../wire/codec.ts';
import { createEncoder, QUARANTINE_REASONS } from '../../../wire/index.ts';
import { aDeviation, uuidNo, uuids } from '../../support/builders.ts';
import { avroArray, avroLong, avroString, bodyOf } from '../../support/avro-bytes.ts';

const decoder = createDecoder(AGENT_DEVIATION, loadSchemaText(AGENT_DEVIATION));
const unreadable = (reason: string) => ({ readable: false, reason });
const whole = createEncoder(AGENT_DEVIATION).encode(aDeviation({ evidenceEventIds: uuids(3) }));

describe('a body that is cut or grown', () => {
  test('is an answer with a reason at every length, and no exception', () => {
    const reasons = new Map<string, number>();
    for (let length = 0; length < whole.length; length += 1) {
      const answer = decoder.decode(whole.subarray(0, length));
      const reason = answer.readable ? 'readable' : answer.reason;
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    }
    expect([...reasons.keys()].sort()).toEqual(['EVIDENCE_UNBOUNDED', 'TRUNCATED']);
    expect(decoder.decode(whole.subarray(0, -2))).toEqual(unreadable('TRUNCATED'));
  });

  test.each([1, 2, 100])('by %i zero bytes is quarantined, never trimmed', (count) => {
    expect(decoder.decode(Buffer.concat([whole, Buffer.alloc(count)]))).toEqual(unreadable('TRAILING_BYTES'));
  });

  test('by a trip through text is an answer, with an id or a length that is wrong', () => {
    const relayed = Buffer.from(whole.toString('utf8'), 'utf8');
    expect(relayed.equals(whole)).toBe(false);
    const answer = decoder.decode(relayed);
    expect(answer.readable).toBe(false);
  });
});

describe('a body that breaks a rule', () => {
  const field = {
    id: (text: string) => bodyOf({ eventId: avroString(text) }),
    evidence: (bytes: Buffer) => bodyOf({ evidence: bytes }),
  };

  test.each([
    ['an upper-case id', field.id('E0000000-0000-5000-8000-000000000001'), 'ID_INVALID'],
    ['an id with a NUL in it', field.id('e0000000-0000-5000-8000-00000000000\0'), 'ID_INVALID'],
    ['an empty id', field.id(''), 'ID_INVALID'],
    ['a very long id', field.id('e'.repeat(100_000)), 'ID_INVALID'],
    ['an id that is no UTF-8', bodyOf({ eventId: avroString(Buffer.alloc(36, 0xff)) }), 'ID_INVALID'],
    ['half of a surrogate pair', bodyOf({ agente: avroString(Buffer.from([0xed, 0xa0, 0x80])) }), 'ID_INVALID'],
    ['a display name as the agent', bodyOf({ agente: avroString('Desenvolvedor Sênior') }), 'ID_INVALID'],
    ['a slug of 33 characters', bodyOf({ agente: avroString('a'.repeat(33)) }), 'ID_INVALID'],
    ['free text among the evidence', field.evidence(avroArray([avroString('it was me')])), 'ID_INVALID'],
    ['a time before the window', bodyOf({ occurredAt: avroLong(Date.UTC(2020, 0, 1) - 1) }), 'TIME_OUT_OF_RANGE'],
    ['a time past the window', bodyOf({ occurredAt: avroLong(Date.UTC(2100, 0, 1)) }), 'TIME_OUT_OF_RANGE'],
    ['a negative time', bodyOf({ occurredAt: avroLong(-1) }), 'TIME_OUT_OF_RANGE'],
    ['a time in nanoseconds', bodyOf({ occurredAt: avroLong(1_796_040_000_000_000_000n) }), 'TIME_OUT_OF_RANGE'],
    ['a kind by an index that is out of range', bodyOf({ tipo: avroLong(3) }), 'SYMBOL_INVALID'],
    ['a kind by a negative index', bodyOf({ tipo: avroLong(-1) }), 'SYMBOL_INVALID'],
    ['an actor by an index that is out of range', bodyOf({ actor: avroLong(1) }), 'SYMBOL_INVALID'],
    ['21 ids', field.evidence(avroArray(uuids(21).map(avroString))), 'EVIDENCE_OVER_20'],
    [
      '21 ids in blocks of one',
      field.evidence(
        Buffer.concat([...uuids(21).map((id) => Buffer.concat([avroLong(1), avroString(id)])), avroLong(0)]),
      ),
      'EVIDENCE_OVER_20',
    ],
    ['50 million declared items', field.evidence(avroLong(50_000_000)), 'EVIDENCE_UNBOUNDED'],
    [
      '50 million declared items of a sized block',
      field.evidence(Buffer.concat([avroLong(-50_000_000), avroLong(4)])),
      'EVIDENCE_UNBOUNDED',
    ],
    ['unsorted evidence', field.evidence(avroArray([uuidNo(2), uuidNo(1)].map(avroString))), 'EVIDENCE_NOT_CANONICAL'],
    ['repeated evidence', field.evidence(avroArray([uuidNo(1), uuidNo(1)].map(avroString))), 'EVIDENCE_NOT_CANONICAL'],
  ])('%s is told by its reason', (_, body, reason) => {
    expect(decoder.decode(body)).toEqual(unreadable(reason));
  });

  test('is none when another writer splits the evidence into sized blocks', () => {
    const ids = uuids(3);
    const blocks = ids.map((id) => {
      const item = avroString(id);
      return Buffer.concat([avroLong(-1), avroLong(item.length), item]);
    });
    expect(decoder.decode(field.evidence(Buffer.concat([...blocks, avroLong(0)])))).toEqual({
      readable: true,
      event: aDeviation({ evidenceEventIds: ids }),
    });
  });
});

describe('a body of anything', () => {
  test('never throws: it is an event of the contract or has a reason of the closed list', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (noise) => {
        const answer = decoder.decode(Buffer.from(noise));
        expect(answer.readable ? isTipo(answer.event.tipo) : QUARANTINE_REASONS.includes(answer.reason)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test('never throws when a right body has some of its bytes changed', () => {
    const change = fc.tuple(fc.nat({ max: whole.length - 1 }), fc.nat({ max: 255 }));
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        const changed = Buffer.from(whole);
        for (const [at, byte] of changes) changed[at] = byte;
        const answer = decoder.decode(changed);
        expect(answer.readable || QUARANTINE_REASONS.includes(answer.reason)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});
