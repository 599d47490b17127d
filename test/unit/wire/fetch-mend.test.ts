/** What a fetch brings is what kafkajs made of it before it was mended. */
import { createRequire } from 'node:module';
import { beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { KafkaMessage } from 'kafkajs';
import type Encoder from 'kafkajs/src/protocol/encoder.js';
import type fetchResponse from 'kafkajs/src/protocol/requests/fetch/v11/response.js';
import { theKafkajs } from '../../../wire/kafka/kafkajs.ts';

const require = createRequire(import.meta.url);

interface Writer extends Encoder {
  writeInt8(value: number): Writer;
  writeInt16(value: number): Writer;
  writeInt32(value: number): Writer;
  writeInt64(value: number | bigint): Writer;
  writeString(value: string): Writer;
  writeBytes(value: Buffer): Writer;
  writeEncoder(value: Encoder): Writer;
}

const KafkaEncoder = require('kafkajs/src/protocol/encoder.js') as new () => Writer;
const encodeRecord = require('kafkajs/src/protocol/recordBatch/record/v0/index.js') as (record: object) => Encoder;
const { RecordBatch } = require('kafkajs/src/protocol/recordBatch/v0/index.js') as {
  RecordBatch(given: object): Promise<Encoder>;
};
const oldMessageSet = require('kafkajs/src/protocol/messageSet/index.js') as (given: object) => Encoder;
const response = require('kafkajs/src/protocol/requests/fetch/v11/response.js') as typeof fetchResponse;

const ATTRIBUTES_END = 22;
const NONE = 0;
const GZIP = 1;
/** Log-append time, and control. */
const FLAGS = [0, 0x08, 0x20] as const;
const HUGE = 2n ** 53n + 1n;

interface Record {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<{ [name: string]: Buffer | string | readonly string[] }>;
  readonly timestampDelta: number;
}

interface Batch {
  readonly records: readonly Record[];
  readonly isZipped: boolean;
  readonly transactional: boolean;
  readonly flag: (typeof FLAGS)[number];
}

interface Partition {
  readonly batches: readonly Batch[];
  readonly aborted: readonly number[];
  /** How many bytes of the last batch a limit cut off. */
  readonly cut: number;
}

const batchBytes = async (batch: Batch, firstOffset: bigint): Promise<Buffer> => {
  const { buffer } = await RecordBatch({
    ...batch,
    compression: batch.isZipped ? GZIP : NONE,
    firstOffset,
    firstTimestamp: 1_796_000_000_000,
    maxTimestamp: 1_796_000_900_000,
    producerId: HUGE,
    records: batch.records.map((record, offsetDelta) => encodeRecord({ ...record, offsetDelta })),
  });
  const bytes = Buffer.from(buffer);
  bytes.writeUInt8(bytes.readUInt8(ATTRIBUTES_END) | batch.flag, ATTRIBUTES_END);
  return bytes;
};

const answerWith = (
  partitions: readonly { readonly records: Buffer; readonly aborted: readonly number[] }[],
): Buffer => {
  const answer = new KafkaEncoder().writeInt32(7).writeInt16(0).writeInt32(0).writeInt32(1);
  answer.writeString('session-events').writeInt32(partitions.length);
  for (const [index, { records, aborted }] of partitions.entries()) {
    answer.writeInt32(index).writeInt16(0).writeInt64(HUGE).writeInt64(HUGE).writeInt64(0);
    answer.writeInt32(aborted.length === 0 ? -1 : aborted.length);
    for (const first of aborted) answer.writeInt64(HUGE).writeInt64(first);
    answer.writeInt32(-1).writeBytes(records);
  }
  return Buffer.from(answer.buffer);
};

const answerOf = async (partitions: readonly Partition[]): Promise<Buffer> =>
  answerWith(
    await Promise.all(
      partitions.map(async ({ batches, aborted, cut }) => {
        const bytes = await Promise.all(batches.map((batch, at) => batchBytes(batch, HUGE + BigInt(at * 10))));
        const records = Buffer.concat(bytes);
        return { aborted, records: records.subarray(0, Math.max(records.length - cut, 0)) };
      }),
    ),
  );

const optionalBytes = fc.option(fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array)));
const text = fc.string({ unit: 'binary', maxLength: 20 });
const aPartition: fc.Arbitrary<Partition> = fc.record({
  batches: fc.array(
    fc.record({
      records: fc.array(
        fc.record({
          key: optionalBytes,
          value: optionalBytes,
          headers: fc.dictionary(text, fc.oneof(text, fc.array(text, { minLength: 2, maxLength: 3 })), { maxKeys: 4 }),
          // Deltas of every size, also of more than 32 bits and before the first.
          timestampDelta: fc.oneof(fc.constant(0), fc.integer({ min: -5_000, max: 4_000_000_000_000 })),
        }),
        { minLength: 1, maxLength: 4 },
      ),
      isZipped: fc.boolean(),
      transactional: fc.boolean(),
      flag: fc.constantFrom(...FLAGS),
    }),
    { maxLength: 3 },
  ),
  aborted: fc.array(fc.nat(), { maxLength: 2 }),
  cut: fc.constantFrom(0, 0, 0, 5, 90),
});
const ANSWERS = fc.sample(fc.array(aPartition, { minLength: 1, maxLength: 3 }), { seed: 4_205, numRuns: 150 });

interface Decoded {
  readonly responses: readonly {
    readonly partitions: readonly {
      readonly messages: readonly (KafkaMessage & {
        readonly isControlRecord: boolean;
        readonly batchContext: {
          readonly producerId: string;
          readonly inTransaction: boolean;
          readonly timestampType: number;
        };
      })[];
    }[];
  }[];
}

/** Whatever kafkajs itself and this program look at. */
const seen = (decoded: unknown): unknown => {
  const { responses, ...rest } = decoded as Decoded; // as the client decodes it
  return {
    ...rest,
    responses: responses.map((topic) => ({
      ...topic,
      partitions: topic.partitions.map((partition) => ({
        ...partition,
        messages: partition.messages.map(
          ({ offset, timestamp, key, value, headers, isControlRecord, batchContext }) => ({
            offset: String(offset),
            timestamp,
            key,
            value,
            headers: { ...headers },
            isControlRecord,
            producerId: batchContext.producerId,
            inTransaction: batchContext.inTransaction,
            timestampType: batchContext.timestampType,
          }),
        ),
      })),
    })),
  };
};

const asItWas = response.decode;
let answers: readonly Buffer[];
let before: readonly unknown[];
beforeAll(async () => {
  answers = await Promise.all(ANSWERS.map(answerOf));
  before = await Promise.all(answers.map(async (answer) => seen(await asItWas(answer))));
  theKafkajs();
});

const records = (decoded: unknown): number =>
  (decoded as Decoded).responses.flatMap(({ partitions }) => partitions.flatMap(({ messages }) => messages)).length;

test('kafkajs decodes its fetches by the replaced function', () => {
  expect(response.decode).not.toBe(asItWas);
  expect(before.reduce<number>((sum, decoded) => sum + records(decoded), 0)).toBeGreaterThan(500);
});

test('what is fetched is what kafkajs made of it before it was mended', async () => {
  expect(await Promise.all(answers.map(async (answer) => seen(await response.decode(answer))))).toEqual(before);
});

test('a format before headers is left to kafkajs', async () => {
  const entries = [{ key: 'k', value: 'v', timestamp: 1_796_000_000_000 }];
  const answer = answerWith([
    { aborted: [], records: Buffer.from(oldMessageSet({ messageVersion: 1, entries }).buffer) },
  ]);
  const decoded = await response.decode(answer);
  expect(records(decoded)).toBe(1);
  expect(decoded).toEqual(await asItWas(answer));
});

test('a batch with fewer records than it says is an error, and nothing of it is passed over', async () => {
  const record = { key: null, value: Buffer.from('v'), headers: {}, timestampDelta: 0 };
  const bytes = await batchBytes({ records: [record], isZipped: false, transactional: false, flag: 0 }, 0n);
  bytes.writeInt32BE(2, 57);
  await expect(response.decode(answerWith([{ aborted: [], records: bytes }]))).rejects.toThrow(RangeError);
});
