import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { AGENT_DEVIATION, type AgentDeviation, EVENT_TYPES, TIME_WINDOW } from '../../../schemas/index.ts';
import { createDecoder } from '../../../wire/codec.ts';
import { createEncoder } from '../../../wire/index.ts';
import { aDeviation, anEventOf, uuidNo, uuids } from '../../support/builders.ts';
import { loadSchemaText } from '../../../schemas/index.ts';

/** Bytes that were published once, made by an encoder of another language: they must stay readable for ever. */
const GOLDEN = JSON.parse(readFileSync(join(import.meta.dirname, 'golden', 'agent-deviation.v1.json'), 'utf8')) as {
  readonly [evidence: string]: string; // our own file
};

const encoder = createEncoder(AGENT_DEVIATION);

/** What another part of the code may hand over by mistake. */
const encodeWrong = (event: unknown): Buffer => encoder.encode(event as AgentDeviation); // wrong on purpose

const refusalOf = (event: unknown): string => {
  try {
    encodeWrong(event);
  } catch (error) {
    return String(error);
  }
  return 'encoded';
};

describe('the bytes of version 1', () => {
  test.each([0, 1, 3, 20])('with %i ids of evidence are the golden ones, both ways', (count) => {
    const event = aDeviation({ evidenceEventIds: uuids(count) });
    const golden = Buffer.from(GOLDEN[count] ?? '', 'hex');
    expect(golden.length).toBeGreaterThan(100);
    expect(encoder.encode(event).toString('hex')).toBe(golden.toString('hex'));
    expect(createDecoder(AGENT_DEVIATION, loadSchemaText(AGENT_DEVIATION)).decode(golden)).toEqual({
      readable: true,
      event,
    });
  });
});

describe('an event built by code', () => {
  test.each(EVENT_TYPES)('of type %s is refused with a field that the schema lacks, which is not named', (type) => {
    const event = { ...anEventOf[type](), email: 'somebody@example.org' };
    const wrong = (): Buffer => createEncoder(type).encode(event as never); // one field too many, on purpose
    expect(wrong).toThrow(`(EVENT_INVALID): ${type} has a field that its schema lacks`);
    expect(wrong).not.toThrow(/email|somebody/);
  });

  test.each(EVENT_TYPES)('of type %s is refused without any one of its fields, which is named', (type) => {
    for (const name of Object.keys(anEventOf[type]())) {
      const event: Record<string, unknown> = { ...anEventOf[type]() };
      delete event[name];
      expect(() => createEncoder(type).encode(event as never)).toThrow(`(EVENT_INVALID): ${type}.${name}.`); // incomplete, on purpose
    }
  });

  test('is refused with a misspelt field, naming the one that is missing', () => {
    const { agente: _agente, ...rest } = aDeviation();
    const refusal = refusalOf({ ...rest, agent: 'desenvolvedor' });
    expect(refusal).toContain('anamnese.agent_deviation.agente.');
    expect(refusal).not.toContain('desenvolvedor');
  });

  test('is refused with a hidden field: under a symbol, not enumerable, or inherited', () => {
    expect(refusalOf({ ...aDeviation(), [Symbol('email')]: 'x' })).toContain('has a field that its schema lacks');
    const hidden = Object.defineProperty(aDeviation(), 'email', { value: 'x', enumerable: false });
    expect(refusalOf(hidden)).toContain('has a field that its schema lacks');
    const inherited = Object.create(aDeviation()) as unknown;
    expect(refusalOf(inherited)).toContain('anamnese.agent_deviation.eventId');
  });

  test.each(['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__', 'Laco', ''])(
    'is refused with %p as its tipo',
    (tipo) => {
      expect(refusalOf({ ...aDeviation(), tipo })).toContain('anamnese.agent_deviation.tipo.');
    },
  );

  test.each([
    ['eventId', 'E0000000-0000-5000-8000-000000000001'],
    ['sessionId', 12345678],
    ['projectId', 'Zulmira Quaresma'],
    ['occurredAt', TIME_WINDOW.toMs],
    ['occurredAt', TIME_WINDOW.fromMs - 1],
    ['occurredAt', 1_796_000_000_000.5],
    ['occurredAt', '2026-11-30T12:00:00Z'],
    ['actor', 'agent/anamnese'],
    ['agente', 'Zulmira'],
    ['agente', null],
    ['evidenceEventIds', null],
    ['evidenceEventIds', 'Zulmira'],
    ['evidenceEventIds', ['Zulmira']],
    ['evidenceEventIds', uuids(21)],
    ['evidenceEventIds', [uuidNo(2), uuidNo(1)]],
    ['evidenceEventIds', [uuidNo(1), uuidNo(1)]],
  ])('is refused with a wrong %s by the path alone, never by the value', (field, value) => {
    const refusal = refusalOf({ ...aDeviation(), [field]: value });
    expect(refusal).toBe(
      `StreamError: an event built by code breaks its schema (EVENT_INVALID): anamnese.agent_deviation.${field}. Correct the code that built the event`,
    );
  });
});
