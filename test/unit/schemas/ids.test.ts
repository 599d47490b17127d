import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { AGENT_ID_MAX_LENGTH, ID_KINDS, isAgentId, isCanonicalUuid, parseUuid } from '../../../schemas/index.ts';
import { slug, uuid } from '../../support/arbitraries.ts';

const ID = '018f0c3a-1b2c-7d4e-8f50-61728394a5b6';

describe('an id', () => {
  test('is 8-4-4-4-12 hexadecimal digits; upper case is taken and lowered', () => {
    expect(parseUuid(ID)).toBe(ID);
    expect(parseUuid(ID.toUpperCase())).toBe(ID);
    expect(isCanonicalUuid(ID)).toBe(true);
    expect(isCanonicalUuid(ID.toUpperCase())).toBe(false);
  });

  test('is asked about at each of its places', () => {
    const spoilt = (at: number, by: string): string => `${ID.slice(0, at)}${by}${ID.slice(at + 1)}`;
    for (let at = 0; at < ID.length; at += 1) {
      for (const by of ['g', ID[at] === '-' ? '0' : '-']) expect(parseUuid(spoilt(at, by))).toBeUndefined();
    }
  });

  test('may have any version and variant, also none', () => {
    for (const id of ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']) {
      expect(parseUuid(id)).toBe(id);
    }
  });

  test.each([
    ['braces', `{${ID}}`],
    ['urn:', `urn:uuid:${ID}`],
    ['a space before it', ` ${ID}`],
    ['a space behind it', `${ID} `],
    ['a line end behind it', `${ID}\n`],
    ['a space in place of a digit', ID.replace('0', ' ')],
    ['no hyphens', ID.replaceAll('-', '')],
    ['one hyphen missing and a digit more', `${ID.slice(0, 8)}${ID.slice(9)}0`],
    ['hyphens in other places', '018f0c3-a1b2c-7d4e-8f50-61728394a5b6'],
    ['hyphens of another script', ID.replaceAll('-', '\u2010')],
    ['a digit that is none', ID.replace('c', 'g')],
    ['a Cyrillic а', ID.replace('a', '\u0430')],
    ['a Cyrillic е', ID.replace('e', '\u0435')],
    ['a full-width digit', ID.replace('0', '\uff10')],
    ['an Arabic digit', ID.replace('0', '\u0660')],
    ['the Kelvin sign', ID.replace('c', '\u212a')],
    ['a letter that lowering widens', ID.replace('c', '\u0130')],
    ['NUL', ID.replace('0', '\0')],
    ['NUL behind it', `${ID}\0`],
    ['half of a surrogate pair', ID.replace('0', '\ud800')],
    ['a mark that is not seen', `${ID}\u200b`],
    ['a digit too few', ID.slice(1)],
    ['a digit too many', `${ID}0`],
    ['ten million characters', ID.repeat(280_000)],
    ['nothing', ''],
    ['two ids', `${ID},${ID}`],
  ])('is none with %s', (_, text) => {
    expect(parseUuid(text)).toBeUndefined();
    expect(isCanonicalUuid(text)).toBe(false);
  });

  test.each([undefined, null, 7, 1n, true, {}, [ID], { toString: () => ID }, new String(ID), Symbol('id')])(
    'is none as a value that is no text (case %#)',
    (value) => {
      expect(parseUuid(value)).toBeUndefined();
      expect(isCanonicalUuid(value)).toBe(false);
    },
  );

  test('that is taken is canonical, whatever was given', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          uuid,
          uuid.map((id) => id.toUpperCase()),
          fc.string({ unit: 'binary', minLength: 36, maxLength: 36 }),
        ),
        (text) => {
          const id = parseUuid(text);
          expect(id === undefined || (isCanonicalUuid(id) && id.length === 36 && id === text.toLowerCase())).toBe(true);
        },
      ),
    );
  });
});

describe('the slug of an agent', () => {
  test.each(['a', '0', 'desenvolvedor', 'revisor-de-codigo', 'a-1-b', 'a'.repeat(AGENT_ID_MAX_LENGTH)])(
    'is %p',
    (text) => {
      expect(isAgentId(text)).toBe(true);
    },
  );

  test.each([
    '',
    '-',
    'a-',
    '-a',
    'a--b',
    'A',
    'Desenvolvedor',
    'revisor de codigo',
    'código',
    'a_b',
    'a.b',
    'a/b',
    'a\n',
    ' a',
    'a'.repeat(AGENT_ID_MAX_LENGTH + 1),
    'a\0',
    '\u0430gent',
    undefined,
    null,
    7,
    { toString: () => 'a' },
  ])('is not %p', (value) => {
    expect(isAgentId(value)).toBe(false);
  });

  test('has at most 32 characters', () => {
    expect(AGENT_ID_MAX_LENGTH).toBe(32);
    fc.assert(fc.property(slug, (text) => isAgentId(text) && text.length <= 32));
  });
});

test('the catalogue of ids has these two kinds, and each asks its own grammar', () => {
  expect(Object.keys(ID_KINDS)).toEqual(['uuid', 'agent-id']);
  expect([ID_KINDS.uuid(ID), ID_KINDS.uuid('a'), ID_KINDS['agent-id'](ID), ID_KINDS['agent-id']('a')]).toEqual([
    true,
    false,
    false,
    true,
  ]);
});
