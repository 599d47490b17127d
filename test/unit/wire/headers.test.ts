import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { EVENTOS_DO_LOG_PROJETAVEIS } from '../../../schemas/index.ts';
import { deviationHeaders, eventHeaders, readHeaders, traceIdOf, validTraceparent } from '../../../wire/index.ts';
import { deviation } from '../../support/arbitraries.ts';
import { aDeviation, anEventOf, SESSION } from '../../support/builders.ts';

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** The whole list of design 3.3, with the form of each. */
const HEADERS = {
  ce_specversion: '1.0',
  ce_id: 'e0000000-0000-5000-8000-000000000001',
  ce_type: 'anamnese.agent_deviation',
  ce_source: '/anamnese',
  ce_subject: SESSION,
  ce_time: '2026-11-30T12:00:00.123Z',
  ce_tipo: 'laco',
  ce_agente: 'desenvolvedor',
  'content-type': 'application/avro',
};

describe('the headers that are written', () => {
  test('are the allow-list and nothing else', () => {
    expect(deviationHeaders(aDeviation(), undefined)).toStrictEqual(HEADERS);
    expect(deviationHeaders(aDeviation(), TRACE)).toStrictEqual({ ...HEADERS, traceparent: TRACE });
  });

  test('hold no value that is absent, since publishing one throws', () => {
    expect(Object.values(deviationHeaders(aDeviation(), undefined)).every((value) => typeof value === 'string')).toBe(
      true,
    );
  });

  test('hold no comma, whatever the event', () => {
    fc.assert(
      fc.property(deviation, (event) => {
        expect(Object.values(deviationHeaders(event, TRACE)).join('')).not.toContain(',');
      }),
    );
  });

  test.each(EVENTOS_DO_LOG_PROJETAVEIS)('of %s name no agent and no kind', (type) => {
    const { ce_tipo: _tipo, ce_agente: _agente, ...envelope } = HEADERS;
    expect(eventHeaders(type, anEventOf[type]())).toStrictEqual({ ...envelope, ce_type: type });
  });

  test('are read back whole', () => {
    const written = deviationHeaders(aDeviation(), TRACE);
    expect(readHeaders(written)).toEqual({ known: written, others: 0 });
  });
});

describe('a traceparent', () => {
  test('that is valid is taken, with its trace id', () => {
    expect(validTraceparent(TRACE)).toBe(TRACE);
    expect(traceIdOf(TRACE)).toBe('0af7651916cd43dd8448eb211c80319c');
    expect(traceIdOf(undefined)).toBeUndefined();
  });

  test.each([
    ['upper case', TRACE.toUpperCase()],
    ['the version ff', TRACE.replace(/^00/, 'ff')],
    ['no trace', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`],
    ['no parent', `00-0af7651916cd43dd8448eb211c80319c-${'0'.repeat(16)}-01`],
    ['more behind it', `${TRACE}-x`],
    ['a line end behind it', `${TRACE}\n`],
    ['a space before it', ` ${TRACE.slice(1)}`],
    ['a list', [TRACE]],
    ['nothing', undefined],
    ['null', null],
    ['a number', 7],
    ['an object that turns into one', { toString: () => TRACE }],
  ])('with %s is left out', (_, value) => {
    expect(validTraceparent(value)).toBeUndefined();
  });
});

describe('the headers of another writer', () => {
  test('are given as bytes or as text and read alike', () => {
    expect(readHeaders({ ce_tipo: Buffer.from('laco'), ce_agente: 'revisor' })).toEqual({
      known: { ce_tipo: 'laco', ce_agente: 'revisor' },
      others: 0,
    });
  });

  test('may be null, absent or repeated, and are then counted and not read', () => {
    const raw = { ce_tipo: null, ce_agente: undefined, ce_type: [Buffer.from('a'), Buffer.from('b')], ce_id: [] };
    expect(readHeaders(raw)).toEqual({ known: {}, others: 4 });
    expect(readHeaders(undefined)).toEqual({ known: {}, others: 0 });
  });

  test.each([
    ['ce_specversion', '0.3'],
    ['ce_id', 'E0000000-0000-5000-8000-000000000001'],
    ['ce_type', 'Anamnese.Deviation'],
    ['ce_type', `a${'.a'.repeat(40)}`],
    ['ce_source', '/anamnese/zulmira'],
    ['ce_subject', 'Zulmira Quaresma'],
    ['ce_time', '30 November'],
    ['ce_time', '2026-11-30T12:00:00+01:00'],
    ['ce_tipo', 'constructor'],
    ['ce_agente', 'Zulmira'],
    ['content-type', 'application/json'],
    ['traceparent', '00-zulmira'],
    ['baggage', 'user=zulmira'],
    ['tracestate', 'a=b'],
    ['CE_TIPO', 'laco'],
    ['', ''],
    ['ce_tipo', '\u001b[31mlaco'],
  ])('are counted and not read when %s is %p', (name, value) => {
    expect(readHeaders({ [name]: value })).toEqual({ known: {}, others: 1 });
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('may be named %s without an effect', (name) => {
    const raw = Object.defineProperty({}, name, { value: 'laco', enumerable: true });
    const { known, others } = readHeaders(raw);
    expect(others).toBe(1);
    expect(Object.keys(known)).toEqual([]);
    expect(Object.getPrototypeOf(known)).toBe(Object.prototype);
  });
});
