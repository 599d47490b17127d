import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { AGENT_DEVIATION, EVENT_TYPES, loadSchemaText } from '../../../schemas/index.ts';
import { createDecoder } from '../../../wire/codec.ts';
import { createEncoder } from '../../../wire/index.ts';
import { deviation } from '../../support/arbitraries.ts';
import { anEventOf } from '../../support/builders.ts';

const decoder = createDecoder(AGENT_DEVIATION, loadSchemaText(AGENT_DEVIATION));

test('whatever deviation is encoded is decoded again as it was', () => {
  const encoder = createEncoder(AGENT_DEVIATION);
  fc.assert(
    fc.property(deviation, (event) => {
      expect(decoder.decode(encoder.encode(event))).toEqual({ readable: true, event });
    }),
  );
});

test.each(EVENT_TYPES)('an event of type %s comes back as a plain object with its own fields alone', (type) => {
  const event = anEventOf[type]();
  const answer = createDecoder(type, loadSchemaText(type)).decode(createEncoder(type).encode(event as never)); // of this type
  expect(answer).toStrictEqual({ readable: true, event });
});
