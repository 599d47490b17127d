import { expect, test } from '@jest/globals';
import { contentHash } from '../../../wire/index.ts';
import { aDeviation, uuidNo, uuids } from '../../support/builders.ts';

/** Computed by another program from the definition in design section 5: rows of every version rest on it. */
const PINNED = 'ea82ff4ff5fb25c462fd2fe9561189c3e8230e5f0c8f2ffa64c9915fb5f29f74';

const event = aDeviation({ evidenceEventIds: uuids(2) });

test('the content hash of an event is the pinned one', () => {
  expect(contentHash(event)).toBe(PINNED);
});

test('another clock leaves the content hash as it is, since the same call may be reported again', () => {
  expect(contentHash({ ...event, occurredAt: event.occurredAt + 1 })).toBe(PINNED);
});

test('the order of an object’s keys leaves the content hash as it is', () => {
  const turned = Object.fromEntries(Object.entries(event).reverse()) as unknown as typeof event; // the same keys
  expect(contentHash(turned)).toBe(PINNED);
});

test.each([
  ['eventId', uuidNo(9)],
  ['sessionId', uuidNo(9)],
  ['projectId', uuidNo(9)],
  ['agente', 'revisor'],
  ['tipo', 'reparo_pelo_usuario'],
  ['evidenceEventIds', uuids(1)],
])('another %s is another content hash', (field, value) => {
  expect(contentHash({ ...event, [field]: value })).not.toBe(PINNED);
});
