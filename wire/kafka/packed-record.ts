/**
 * A fetched record. Thousands are in memory at once, and each as kafkajs makes it is some thirty objects that the garbage
 * collector copies on and on: here it is one, with places in the bytes of its batch, and its key, value and headers are
 * made anew each time they are asked for.
 */
import type { KafkaMessage } from 'kafkajs';
import { framedId, framedIdAt, type SchemaId } from '../frame.ts';
import { type AllowedHeader, type RawHeaders, readHeader } from '../headers.ts';
import { type Offset, offset } from './offset.ts';
import { type HeaderPlace, headersAt, isHeaderAt } from './packed-headers.ts';
import type { SourceRecord } from './source-record.ts';

/** The broker has stamped the whole batch with its arrival; otherwise each record has the time its writer gave. */
export const LOG_APPEND_TIME = 1;

/** What the records of one batch share; the last four under the names that kafkajs has for them. */
export interface RecordBatch {
  /** Nothing but the records, one behind the other. */
  readonly bytes: Buffer;
  readonly firstOffset: bigint;
  /** What the times of its records are counted from. */
  readonly firstTimeMs: number;
  readonly lastTimeMs: number;
  readonly timestampType: 0 | typeof LOG_APPEND_TIME;
  readonly isControlBatch: boolean;
  readonly inTransaction: boolean;
  readonly producerId: string;
}

/** The length of what is null. */
const NONE = -1;

const partOf = (bytes: Buffer, at: number, length: number): Buffer | null =>
  length === NONE ? null : bytes.subarray(at, at + length);

class PackedRecord implements SourceRecord {
  readonly #batch: RecordBatch;
  readonly #offsetDelta: number;
  readonly #timeDeltaMs: number;
  readonly #keyAt: number;
  readonly #keyLength: number;
  readonly #valueAt: number;
  readonly #valueLength: number;
  readonly #headersAt: number;
  readonly #end: number;

  constructor(batch: RecordBatch) {
    const { bytes } = batch;
    const length = readNumber(bytes);
    const end = cursor + length;
    if (length <= 0 || end > bytes.length) throw new RangeError('a batch has fewer records than it says');
    // Its attributes: none is defined.
    cursor += 1;
    this.#batch = batch;
    this.#timeDeltaMs = readNumber(bytes);
    this.#offsetDelta = readNumber(bytes);
    this.#keyLength = readLength(bytes, end);
    this.#keyAt = cursor;
    cursor += Math.max(this.#keyLength, 0);
    this.#valueLength = readLength(bytes, end);
    this.#valueAt = cursor;
    cursor += Math.max(this.#valueLength, 0);
    this.#headersAt = cursor;
    this.#end = end;
    cursor = end;
  }

  get offset(): Offset {
    return offset(this.#batch.firstOffset + BigInt(this.#offsetDelta));
  }

  get recordTimeMs(): number {
    const { timestampType, firstTimeMs, lastTimeMs } = this.#batch;
    return timestampType === LOG_APPEND_TIME ? lastTimeMs : firstTimeMs + this.#timeDeltaMs;
  }

  get key(): Buffer | null {
    return partOf(this.#batch.bytes, this.#keyAt, this.#keyLength);
  }

  get value(): Buffer | null {
    return partOf(this.#batch.bytes, this.#valueAt, this.#valueLength);
  }

  get headers(): RawHeaders {
    return headersAt(this.#headersPlace) as RawHeaders; // as the client's own: bytes or a list of them
  }

  get schemaId(): SchemaId | undefined {
    return framedIdAt(this.#batch.bytes, this.#valueAt, this.#valueLength);
  }

  hasHeader(name: string, text: string): boolean {
    return isHeaderAt(this.#headersPlace, name, text);
  }

  get #headersPlace(): HeaderPlace {
    return { bytes: this.#batch.bytes, at: this.#headersAt, end: this.#end };
  }

  /** The rest is for kafkajs. */
  get timestamp(): string {
    return String(this.recordTimeMs);
  }

  get isControlRecord(): boolean {
    return this.#batch.isControlBatch;
  }

  get batchContext(): Pick<RecordBatch, 'inTransaction' | 'producerId' | 'timestampType'> {
    return this.#batch;
  }
}

/** Where the reading stands; the numbers of the record format are signed, in groups of seven bits, the lowest first. */
let cursor = 0;

const readNumber = (bytes: Buffer): number => {
  let byte = bytes[cursor] ?? 0;
  cursor += 1;
  if (byte < 0x80) return (byte >>> 1) ^ -(byte & 1);
  let value = byte & 0x7f;
  // Times are long: beyond 32 bits there is no shifting.
  for (let factor = 0x80; byte >= 0x80; factor *= 0x80) {
    byte = bytes[cursor] ?? 0;
    cursor += 1;
    value += (byte & 0x7f) * factor;
  }
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
};

/** A part that claims to be longer than its record ends with it. */
const readLength = (bytes: Buffer, end: number): number => Math.min(readNumber(bytes), Math.max(end - cursor, 0));

/** The records of a batch, as many as it says it has. */
export const packedRecords = (batch: RecordBatch, count: number): readonly PackedRecord[] => {
  cursor = 0;
  return Array.from({ length: count }, () => new PackedRecord(batch));
};

/** The id in the frame of its value, if it has a right one. */
export const schemaIdOf = (record: SourceRecord): SchemaId | undefined =>
  record instanceof PackedRecord ? record.schemaId : framedId(record.value);

/** Whether its header of that name is just this, a value of the form our own have. */
export const hasHeader = (record: SourceRecord, name: AllowedHeader, text: string): boolean =>
  record instanceof PackedRecord ? record.hasHeader(name, text) : readHeader(record.headers, name) === text;

export const recordOf = (message: KafkaMessage | PackedRecord): SourceRecord => {
  if (message instanceof PackedRecord) return message;
  // Of a format, or from a broker, that the mended client leaves to kafkajs.
  const { key, value, headers } = message;
  return {
    offset: offset(message.offset),
    recordTimeMs: Number(message.timestamp),
    key,
    value,
    headers: headers ?? {},
  };
};
