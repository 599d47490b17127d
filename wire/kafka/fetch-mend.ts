/**
 * kafkajs makes some thirty objects of each record it fetches: of what reading our records costs it that was the greater
 * part, in time and in memory, while a consumer looks at the frame of most and at one or two headers of the others. Here
 * each is one, with places in the bytes of its batch (packed-record.ts); to kafkajs it is the message it was, but for its
 * offset, which is a bigint instead of text. Brokers before 2.3 and record formats before headers are left to kafkajs. The
 * version is pinned; a test notices when this stops working.
 */
import type KafkaDecoder from 'kafkajs/src/protocol/decoder.js';
import type compression from 'kafkajs/src/protocol/message/compression/index.js';
import type fetchResponse from 'kafkajs/src/protocol/requests/fetch/v11/response.js';
import { LOG_APPEND_TIME, packedRecords, type RecordBatch } from './packed-record.ts';

/** In the head of a batch; the format before headers has its own number at the same place. */
const LENGTH_AT = 8;
const FORMAT_AT = 16;
const ATTRIBUTES_AT = 21;
const FIRST_TIME_AT = 27;
const LAST_TIME_AT = 35;
const PRODUCER_AT = 43;
const COUNT_AT = 57;
const RECORDS_AT = 61;
/** The length counts what is behind it. */
const LENGTH_END = 12;

const WITH_HEADERS = 2;

const IS_LOG_APPEND_TIME = 0x08;
const IN_TRANSACTION = 0x10;
const IS_CONTROL = 0x20;

type Message = ReturnType<typeof packedRecords>[number];

/** Undefined for an older format. What the limit of a fetch has cut off comes whole with the next. */
const messagesIn = async (bytes: Buffer, codecs: typeof compression): Promise<Message[] | undefined> => {
  const messages: Message[] = [];
  for (let at = 0, end = 0; at + FORMAT_AT < bytes.length; at = end) {
    if (bytes.readInt8(at + FORMAT_AT) !== WITH_HEADERS) return undefined;
    end = at + LENGTH_END + bytes.readInt32BE(at + LENGTH_AT);
    if (end > bytes.length || at + RECORDS_AT > bytes.length) break;
    const attributes = bytes.readInt16BE(at + ATTRIBUTES_AT);
    const packed = bytes.subarray(at + RECORDS_AT, end);
    const codec = codecs.lookupCodecByAttributes(attributes);
    const batch: RecordBatch = {
      bytes: codec === null || packed.length === 0 ? packed : await codec.decompress(packed),
      firstOffset: bytes.readBigInt64BE(at),
      firstTimeMs: Number(bytes.readBigInt64BE(at + FIRST_TIME_AT)),
      lastTimeMs: Number(bytes.readBigInt64BE(at + LAST_TIME_AT)),
      timestampType: (attributes & IS_LOG_APPEND_TIME) === 0 ? 0 : LOG_APPEND_TIME,
      isControlBatch: (attributes & IS_CONTROL) !== 0,
      inTransaction: (attributes & IN_TRANSACTION) !== 0,
      producerId: String(bytes.readBigInt64BE(at + PRODUCER_AT)),
    };
    for (const message of packedRecords(batch, bytes.readInt32BE(at + COUNT_AT))) messages.push(message);
  }
  return messages;
};

export const mendFetches = (
  response: typeof fetchResponse,
  Decoder: typeof KafkaDecoder,
  codecs: typeof compression,
): void => {
  const asItWas = response.decode;

  response.decode = async (answer) => {
    const decoder = new Decoder(answer);
    let isOlder = false;

    const partition = async () => ({
      partition: decoder.readInt32(),
      errorCode: decoder.readInt16(),
      highWatermark: String(decoder.readInt64()),
      lastStableOffset: String(decoder.readInt64()),
      lastStartOffset: String(decoder.readInt64()),
      abortedTransactions: decoder.readArray(() => ({
        producerId: String(decoder.readInt64()),
        firstOffset: String(decoder.readInt64()),
      })),
      preferredReadReplica: decoder.readInt32(),
      messages: await messages(),
    });
    const messages = async (): Promise<Message[]> => {
      const size = decoder.readInt32();
      const bytes = size > 0 ? decoder.readBytes(size) : null;
      const read = bytes === null ? [] : await messagesIn(bytes, codecs);
      isOlder ||= read === undefined;
      return read ?? [];
    };

    const decoded = {
      // kafkajs waits by itself for as long as the broker asks: the broker has not waited.
      throttleTime: 0,
      clientSideThrottleTime: decoder.readInt32(),
      errorCode: decoder.readInt16(),
      sessionId: decoder.readInt32(),
      responses: await decoder.readArrayAsync(async () => ({
        topicName: decoder.readString(),
        partitions: await decoder.readArrayAsync(partition),
      })),
    };
    return isOlder ? asItWas(answer) : decoded;
  };
};
