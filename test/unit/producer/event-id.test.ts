import { expect, test } from '@jest/globals';
import { eventIdOf } from '../../../producer/event-id.ts';
import { SESSION } from '../../support/builders.ts';

/** Computed by Python's `uuid.uuid5`; an id once given must stay the same for ever, or a retry becomes a second event. */
test.each([
  [SESSION, 'call_1', 'bc933a45-269d-500c-9802-8fbefb1da31c'],
  [SESSION, 'chatcmpl-tool-15da237cc14940ddaa52a51786d82d56', 'fb892f37-2731-5595-bba3-a63e6abbb0d5'],
  [SESSION, '!', '9e7b83c8-b969-5711-b279-62b2a3288c5d'],
  [SESSION, '~'.repeat(256), 'ad736fb5-f520-5704-9848-20b210afbcbf'],
  ['01a1c975-e060-7fbe-acef-f1555a31338e', 'call_1', 'b1c1b8ad-6e46-5805-a609-6b8b9d0edf5b'],
  // Namespaces that libraries refuse as text.
  ['00000000-0000-0000-0000-000000000000', 'call_1', '8158e969-cd0f-5673-b926-2372755b871c'],
  ['ffffffff-ffff-ffff-ffff-ffffffffffff', 'call_1', 'd2cc9bbf-7263-5855-b4dc-9382d877628f'],
])('the call %2$p in session %1$s is the event %3$s', (session, call, id) => {
  expect(eventIdOf(session, call)).toBe(id);
});
