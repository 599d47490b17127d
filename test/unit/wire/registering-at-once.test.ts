import { expect, test } from '@jest/globals';
import { EVENT_TYPES } from '../../../schemas/index.ts';
import { type Registry, registerSchemas, schemaId, StreamError } from '../../../wire/index.ts';

/** Apicurio's answer to the second of two who set a level that nobody had set: a conflict, though both say the same. */
const CONFLICT = new StreamError('CONTRACT_MISMATCH', 'setting the level, status 409', 'x');

/** A registry to which another deployment, a moment ahead of us, tells the same; `itsLevel` is what that one sets. */
const registryAheadOfUs = (itsLevel: string): Registry => {
  const texts = new Map<string, string>();
  const levels = new Map<string, string>();
  return {
    schemaById: () => Promise.resolve({ known: false }),
    idOfText: (subject, text) => Promise.resolve(texts.get(subject) === text ? schemaId(1) : undefined),
    hasSubject: (subject) => Promise.resolve(texts.has(subject)),
    versions: () => Promise.resolve([]),
    isCompatible: () => Promise.resolve(true),
    register: (subject, text) => {
      texts.set(subject, text);
      return Promise.resolve(schemaId(1));
    },
    level: (subject) => Promise.resolve(levels.get(subject)),
    setLevel: (subject) => {
      levels.set(subject, itsLevel);
      return Promise.reject(CONFLICT);
    },
  };
};

test('two who register the same at once both end well', async () => {
  const registered = await registerSchemas(registryAheadOfUs('FULL_TRANSITIVE'));
  expect(registered.map(({ subject }) => subject)).toEqual(EVENT_TYPES);
});

test('a conflict that leaves another level is told', async () => {
  await expect(registerSchemas(registryAheadOfUs('NONE'))).rejects.toMatchObject({ code: 'CONTRACT_MISMATCH' });
});
