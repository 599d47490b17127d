import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import {
  ACTORS,
  AGENT_DEVIATION,
  EVENT_TYPES,
  EVENTOS_DO_LOG_PROJETAVEIS,
  EVIDENCE_CEILING,
  ID_KINDS,
  isInTimeWindow,
  isProjectable,
  isTipo,
  LEVELS,
  loadSchemaText,
  type SessionEvents,
  shownActor,
  TIME_WINDOW,
  TIPOS,
} from '../../../schemas/index.ts';
import { anEventOf } from '../../support/builders.ts';
import { fieldOf, ourSchema } from '../../support/schema-texts.ts';
import { TREE } from '../../support/source-files.ts';

const ENVELOPE = ['eventId', 'sessionId', 'projectId', 'occurredAt', 'actor'] as const;

/** Each type's fields, in the order of the bytes; the compiler holds the names to the TypeScript types. */
const FIELDS = {
  'anamnese.agent_deviation': [...ENVELOPE, 'agente', 'tipo', 'evidenceEventIds'],
  'anamnese.proficiency_emitted': [...ENVELOPE, 'personId', 'competencyId', 'level'],
  'anamnese.fact_accepted': [...ENVELOPE, 'personId', 'factId'],
} as const satisfies { readonly [T in keyof SessionEvents]: readonly (keyof SessionEvents[T])[] };

/** A field of a type that has no line above would be a type error here. */
type Unlisted = {
  [T in keyof SessionEvents]: Exclude<keyof SessionEvents[T], (typeof FIELDS)[T][number]>;
}[keyof SessionEvents];
const noneUnlisted: [Unlisted] extends [never] ? true : false = true;

const symbolsOf = (type: keyof SessionEvents, field: string): unknown => fieldOf(ourSchema(type), field).type.symbols;

describe('the texts of the contract', () => {
  test('are one file for each event type', () => {
    const files = readdirSync(join(TREE, 'schemas')).filter((file) => file.endsWith('.avsc'));
    expect(files.sort()).toEqual(EVENT_TYPES.map((type) => `${type}.avsc`).sort());
  });

  test.each(EVENT_TYPES)('%s has the name of its type and the fields of its TypeScript type, in order', (type) => {
    const schema = ourSchema(type);
    expect(noneUnlisted).toBe(true);
    expect(`${String(schema.namespace)}.${String(schema.name)}`).toBe(type);
    expect(schema.fields.map(({ name }) => name)).toEqual(FIELDS[type]);
    expect(Object.keys(anEventOf[type]()).sort()).toEqual([...FIELDS[type]].sort());
  });

  test.each(EVENT_TYPES)('%s begins with the same envelope as every other', (type) => {
    const envelope = (of: keyof SessionEvents) => ourSchema(of).fields.slice(0, ENVELOPE.length);
    expect(envelope(type)).toEqual(envelope(AGENT_DEVIATION));
  });

  test('have the closed words of the code as their symbols, in order', () => {
    expect(TIPOS).toEqual(['laco', 'cancelamento_pelo_usuario', 'reparo_pelo_usuario']);
    expect(symbolsOf(AGENT_DEVIATION, 'tipo')).toEqual(TIPOS);
    expect(symbolsOf('anamnese.proficiency_emitted', 'level')).toEqual(LEVELS);
    for (const type of EVENT_TYPES) expect(symbolsOf(type, 'actor')).toEqual(ACTORS);
  });

  test('bound the evidence where the code does', () => {
    expect(fieldOf(ourSchema(), 'evidenceEventIds').type.maxItems).toBe(EVIDENCE_CEILING);
    expect(EVIDENCE_CEILING).toBe(20);
  });

  test('hold no free text: each string is an id of the catalogue, and there is no union, map, bytes or float', () => {
    const kinds = new Map<string, number>();
    const visit = (type: unknown): void => {
      if (typeof type !== 'object' || type === null) throw new Error('a type without its logical type or symbols');
      const { type: kind, logicalType, items } = type as Record<string, unknown>; // a type of our own file
      kinds.set(String(kind), (kinds.get(String(kind)) ?? 0) + 1);
      if (kind === 'string') expect(Object.keys(ID_KINDS)).toContain(logicalType);
      if (kind === 'array') visit(items);
    };
    for (const type of EVENT_TYPES) for (const field of ourSchema(type).fields) visit(field.type);
    expect([...kinds.keys()].sort()).toEqual(['array', 'enum', 'long', 'string']);
  });

  test('have no default anywhere', () => {
    for (const type of EVENT_TYPES) expect(loadSchemaText(type)).not.toContain('"default"');
  });
});

describe('what the projection may translate', () => {
  test('is these two types, and a deviation is absent', () => {
    expect(EVENTOS_DO_LOG_PROJETAVEIS).toEqual(['anamnese.proficiency_emitted', 'anamnese.fact_accepted']);
    expect(EVENTOS_DO_LOG_PROJETAVEIS).not.toContain('anamnese.agent_deviation');
    expect(EVENT_TYPES.filter(isProjectable)).toEqual(EVENTOS_DO_LOG_PROJETAVEIS);
    expect(isProjectable('anamnese.agent_deviation')).toBe(false);
  });
});

describe('a word of the vocabulary', () => {
  test.each(['Laco', 'laco ', 'constructor', 'toString', '__proto__', 'length', '0', '', 0, undefined, null, ['laco']])(
    'is not %p',
    (value) => {
      expect(isTipo(value)).toBe(false);
    },
  );

  test('is shown for an actor as the ADR writes it', () => {
    expect(ACTORS.map(shownActor)).toEqual(['agent/anamnese']);
  });
});

describe('the window of times', () => {
  test.each([
    [Date.parse('2020-01-01T00:00:00.000Z'), true],
    [Date.parse('2019-12-31T23:59:59.999Z'), false],
    [Date.parse('2099-12-31T23:59:59.999Z'), true],
    [Date.parse('2100-01-01T00:00:00.000Z'), false],
    [Date.parse('2026-11-30T12:00:00.000Z') + 0.5, false],
    [Number.NaN, false],
    [Number.POSITIVE_INFINITY, false],
    [-1, false],
    [String(TIME_WINDOW.fromMs), false],
    [BigInt(TIME_WINDOW.fromMs), false],
    [new Date(TIME_WINDOW.fromMs), false],
    [undefined, false],
    [null, false],
  ])('holds %p: %p', (value, isInside) => {
    expect(isInTimeWindow(value)).toBe(isInside);
  });
});
