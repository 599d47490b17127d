/** Wrong records, each with the reason it must be quarantined for: what careless or hostile writers leave on a topic. */
import { randomUUID } from 'node:crypto';
import { avroArray, avroLong, avroString, bodyOf } from './avro-bytes.ts';
import { SESSION, uuidNo, uuids } from './builders.ts';
import { type ForeignMessage, framed } from './foreign-writer.ts';
import { TOMORROWS_TEXT, writerText } from './schema-texts.ts';
import type { EventRecord } from './stack-events.ts';
import { registerStrangersType, registerText, removeSubject, type StrangersType } from './stack-registry.ts';

export interface Poison {
  readonly what: string;
  readonly message: ForeignMessage;
  /** Undefined when any reason of the list will do. */
  readonly reason: string | undefined;
}

/** Other writers, whose texts the registry knows. */
export interface Writers {
  readonly stranger: StrangersType;
  /** Of our type with a fourth kind. */
  readonly tomorrow: number;
  /** Of our type's name, and less than our contract. */
  readonly lesser: number;
  readonly ids: readonly number[];
  remove(): Promise<void>;
}

export const registerWriters = async (): Promise<Writers> => {
  // Under subjects of their own: ours has rules that would refuse them.
  const subjects = ['tomorrow', 'lesser'].map((word) => `strangers.${word}_${randomUUID().slice(0, 8)}`);
  const [ofTomorrow = '', ofLesser = ''] = subjects;
  const stranger = await registerStrangersType();
  const tomorrow = await registerText(ofTomorrow, TOMORROWS_TEXT);
  const lesser = await registerText(
    ofLesser,
    writerText((schema) => void schema.fields.pop()),
  );
  return {
    stranger,
    tomorrow,
    lesser,
    ids: [stranger.id, tomorrow, lesser],
    remove: async () => {
      await stranger.remove();
      for (const subject of subjects) await removeSubject(subject);
    },
  };
};

const UNKNOWN_ID = 2_000_000_000;

/** `word` is in those that carry a text. */
export const poisons = (good: EventRecord, writers: Writers, word: string): readonly Poison[] => {
  const id = good.value.readInt32BE(1);
  const bad = (what: string, reason: string | undefined, value: Buffer | null, more: Partial<ForeignMessage> = {}) => ({
    what,
    reason,
    message: { key: good.key, value, headers: { ...good.headers }, ...more },
  });
  const ours = (what: string, reason: string, given: Parameters<typeof bodyOf>[0], by = id) =>
    bad(what, reason, framed(by, bodyOf(given)), { key: SESSION });
  const { stranger, tomorrow, lesser } = writers;
  return [
    bad('a plain JSON text', 'NOT_FRAMED', Buffer.from(JSON.stringify({ nome: word }))),
    bad('an empty value', 'VALUE_EMPTY', Buffer.alloc(0)),
    bad('a null value', 'VALUE_NULL', null),
    bad('one byte', 'NOT_FRAMED', Buffer.alloc(1)),
    bad('three bytes', 'NOT_FRAMED', Buffer.alloc(3)),
    bad('four bytes', 'NOT_FRAMED', Buffer.alloc(4)),
    bad('a frame without a body', 'TRUNCATED', framed(id, Buffer.alloc(0))),
    bad('an id that the registry does not know', 'SCHEMA_UNKNOWN', framed(UNKNOWN_ID, good.value.subarray(5))),
    bad('an id of zero', 'SCHEMA_UNKNOWN', framed(0, good.value.subarray(5))),
    bad('an id below zero', 'SCHEMA_UNKNOWN', framed(-1, good.value.subarray(5))),
    bad('one byte too many', 'TRAILING_BYTES', Buffer.concat([good.value, Buffer.alloc(1)])),
    bad('a hundred bytes too many', 'TRAILING_BYTES', Buffer.concat([good.value, Buffer.alloc(100)])),
    bad('two bytes too few', 'TRUNCATED', good.value.subarray(0, -2)),
    bad('a value that went through a text', undefined, Buffer.from(good.value.toString('utf8'))),
    bad("a stranger's record under our type's name", 'TYPE_DISAGREES', framed(stranger.id, stranger.body(word))),
    bad("another session's key", 'KEY_DISAGREES', good.value, { key: SESSION }),
    bad('no key', 'KEY_DISAGREES', good.value, { key: null }),
    ours('a tipo beyond the vocabulary', 'SYMBOL_INVALID', { tipo: avroLong(3) }),
    ours('a tipo of tomorrow', 'TIPO_UNKNOWN', { tipo: avroLong(3) }, tomorrow),
    ours('less than our contract', 'FOREIGN_CONTRACT', {}, lesser),
    ours('fifty million ids announced', 'EVIDENCE_UNBOUNDED', { evidence: avroLong(50_000_000) }),
    ours('21 ids', 'EVIDENCE_OVER_20', { evidence: avroArray(uuids(21).map(avroString)) }),
    ours('ids out of order', 'EVIDENCE_NOT_CANONICAL', {
      evidence: avroArray([uuidNo(2), uuidNo(1)].map(avroString)),
    }),
    ours('a text for an id', 'ID_INVALID', { eventId: avroString(word) }),
    ours('the year 1970', 'TIME_OUT_OF_RANGE', { occurredAt: avroLong(0) }),
    ours('an agent that no catalogue has', 'AGENTE_UNKNOWN', { agente: avroString('ninguem') }),
  ];
};
