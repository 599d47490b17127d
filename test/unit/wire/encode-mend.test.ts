import { createRequire } from 'node:module';
import { beforeAll, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import type Encoder from 'kafkajs/src/protocol/encoder.js';
import { theKafkajs } from '../../../wire/kafka/kafkajs.ts';

const require = createRequire(import.meta.url);

interface Message {
  readonly key: Buffer | string | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, Buffer | string | readonly string[]>>;
  readonly timestamp?: number;
}

const produce = require('kafkajs/src/protocol/requests/produce/v3/request.js') as (given: {
  readonly acks: number;
  readonly timeout: number;
  readonly topicData: readonly unknown[];
}) => { encode(): Promise<Encoder> };

/** The bytes of a whole request; every message has a time, so that the clock has no say. */
const bytesOf = async (messages: readonly Message[]): Promise<string> => {
  const topicData = [{ topic: 'session-events', partitions: [{ partition: 3, firstSequence: 0, messages }] }];
  return (await produce({ acks: -1, timeout: 5_000, topicData }).encode()).buffer.toString('hex');
};

const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 60 }), fc.string({ minLength: 120, maxLength: 300 }));
const bytes = fc
  .oneof(fc.uint8Array({ maxLength: 40 }), fc.uint8Array({ minLength: 500, maxLength: 9_000 }))
  .map((array) => Buffer.from(array));
const aMessage: fc.Arbitrary<Message> = fc.record(
  {
    key: fc.oneof(text, bytes, fc.constant(null)),
    value: fc.oneof(bytes, fc.constant(null)),
    headers: fc.dictionary(text, fc.oneof(text, bytes, fc.array(text, { maxLength: 3 })), { maxKeys: 10 }),
    // Deltas of every size, also of more than 32 bits.
    timestamp: fc.oneof(fc.constant(1_700_000_000_000), fc.integer({ min: 1, max: 4_000_000_000_000 })),
  },
  { requiredKeys: ['key', 'value', 'headers', 'timestamp'] },
);
const requests = fc.sample(fc.array(aMessage, { minLength: 1, maxLength: 12 }), { seed: 4_205, numRuns: 150 });

let before: readonly string[];
beforeAll(async () => {
  before = await Promise.all(requests.map(bytesOf));
  theKafkajs();
});

test('what is sent is byte for byte what kafkajs sent before it was mended', async () => {
  expect(await Promise.all(requests.map(bytesOf))).toEqual(before);
});

test('sending makes no buffer that no pool keeps, but for a whole request', async () => {
  const message = { key: 'k', value: Buffer.from('v'), headers: { a: '1', b: '2', c: '3' }, timestamp: 1 };
  const made = jest.spyOn(Buffer, 'alloc');
  try {
    await bytesOf(Array(50).fill(message));
    expect(made.mock.calls.filter(([size]) => size > 0)).toEqual([]);
  } finally {
    made.mockRestore();
  }
});
