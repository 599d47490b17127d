/** A record that waits is places in the bytes of its fetch: what it answers is what the client gave. */
import { createRequire } from 'node:module';
import { expect, test } from '@jest/globals';
import type { KafkaMessage } from 'kafkajs';
import Decoder from 'kafkajs/src/protocol/decoder.js';
import { theKafkajs } from '../../../wire/kafka/kafkajs.ts';
import { recordOf } from '../../../wire/kafka/packed-record.ts';

const require = createRequire(import.meta.url);
theKafkajs();

const encode = require('kafkajs/src/protocol/recordBatch/record/v0/index.js') as (record: object) => {
  readonly buffer: Buffer;
};
const decode = require('kafkajs/src/protocol/recordBatch/record/v0/decoder.js') as (
  decoder: Decoder,
  context: object,
) => KafkaMessage;

const FIRST_OFFSET = '9007199254740993';
const TIME = '1796000000000';

/** As kafkajs reads them, all from the bytes of one fetch. */
const messages = (given: readonly object[]): readonly KafkaMessage[] => {
  const fetched = new Decoder(
    Buffer.concat(
      given.map((one, offsetDelta) => encode({ offsetDelta, timestampDelta: 0, headers: {}, ...one }).buffer),
    ),
  );
  return given.map(() =>
    decode(new Decoder(fetched.readVarIntBytes() ?? Buffer.alloc(0)), {
      firstOffset: FIRST_OFFSET,
      firstTimestamp: TIME,
    }),
  );
};

const GIVEN = [
  { key: 'k', value: 'first', headers: { ce_type: 'a', traceparent: ['1', '2'] } },
  { key: null, value: null },
  { key: '', value: '', headers: { ce_type: 'b' } },
];

test('key, value, headers, time and offset are those of the message, and of its own alone', () => {
  for (const message of messages(GIVEN)) {
    const record = recordOf(message);
    expect(record.key).toEqual(message.key);
    expect(record.value).toEqual(message.value);
    expect({ ...record.headers }).toEqual({ ...message.headers });
    expect(record.recordTimeMs).toBe(Number(TIME));
    expect(String(record.offset)).toBe(message.offset);
  }
  expect(messages(GIVEN).map((message) => recordOf(message).offset)).toEqual([
    9007199254740993n,
    9007199254740994n,
    9007199254740995n,
  ]);
});

test('a record with headers is packed: no object of the client waits with it', () => {
  for (const message of messages(GIVEN)) {
    const kept = Object.values(recordOf(message)) as readonly unknown[];
    expect(kept.some((one) => typeof one === 'object')).toBe(false);
  }
});

test('a message of the format before headers is taken as it is', () => {
  const message = { key: Buffer.from('k'), value: Buffer.from('v'), timestamp: TIME, offset: '7', attributes: 0 };
  const old = message as unknown as KafkaMessage; // that format has neither size nor headers
  expect(recordOf(old)).toEqual({
    offset: 7n,
    recordTimeMs: Number(TIME),
    key: Buffer.from('k'),
    value: Buffer.from('v'),
    headers: {},
  });
});

test('a record that claims more headers than it has takes none of its neighbour', () => {
  const [claims, neighbour] = GIVEN.map(
    (one) => encode({ offsetDelta: 0, timestampDelta: 0, headers: {}, ...one }).buffer,
  ).slice(1);
  if (claims === undefined || neighbour === undefined) throw new Error('two records are given');
  // Its last byte is the number of its headers: one, as the format writes it.
  claims[claims.length - 1] = 2;
  const fetched = new Decoder(Buffer.concat([claims, neighbour]));
  const own = new Decoder(fetched.readVarIntBytes() ?? Buffer.alloc(0));
  const record = recordOf(decode(own, { firstOffset: FIRST_OFFSET, firstTimestamp: TIME }));
  expect(Object.keys(record.headers)).toEqual([]);
});
