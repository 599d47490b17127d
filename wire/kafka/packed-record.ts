/**
 * A fetched record that waits for its flush. Thousands wait at once, and each as kafkajs gives it is a dozen objects that
 * the garbage collector copies on and on: here it is one, with places in the bytes of its fetch, and its key, value and
 * headers are made anew each time they are asked for.
 */
import type { KafkaMessage } from 'kafkajs';
import type { RawHeaders } from '../headers.ts';
import { headersAt, placeOfHeaders } from './header-mend.ts';
import { type Offset, offset } from './offset.ts';
import type { SourceRecord } from './source-record.ts';

/** The length of what is null. */
const NONE = -1;

class PackedRecord implements SourceRecord {
  readonly offset: Offset;
  readonly recordTimeMs: number;
  readonly #bytes: Buffer;
  readonly #keyAt: number;
  readonly #keyLength: number;
  readonly #valueAt: number;
  readonly #valueLength: number;
  readonly #headersAt: number;
  readonly #end: number;

  constructor(message: KafkaMessage, bytes: Buffer, headersPlace: number, end: number) {
    const { key, value } = message;
    this.offset = offset(message.offset);
    this.recordTimeMs = Number(message.timestamp);
    this.#bytes = bytes;
    this.#keyAt = key?.byteOffset ?? 0;
    this.#keyLength = key?.length ?? NONE;
    this.#valueAt = value?.byteOffset ?? 0;
    this.#valueLength = value?.length ?? NONE;
    this.#headersAt = headersPlace;
    this.#end = end;
  }

  get key(): Buffer | null {
    return this.#keyLength === NONE ? null : this.#bytes.subarray(this.#keyAt, this.#keyAt + this.#keyLength);
  }

  get value(): Buffer | null {
    return this.#valueLength === NONE ? null : this.#bytes.subarray(this.#valueAt, this.#valueAt + this.#valueLength);
  }

  get headers(): RawHeaders {
    return headersAt({ bytes: this.#bytes, at: this.#headersAt, end: this.#end }) as RawHeaders; // as the client's own: bytes or a list of them
  }
}

/** All of the bytes that parts of a record lie in, made once for neighbours. */
let latest: Buffer = Buffer.alloc(0);

const allOf = ({ buffer }: Uint8Array): Buffer => {
  if (latest.buffer !== buffer) latest = Buffer.from(buffer);
  return latest;
};

const liesIn = (bytes: Uint8Array, part: Buffer | null): boolean => part === null || part.buffer === bytes.buffer;

export const recordOf = (message: KafkaMessage): SourceRecord => {
  const { key, value, headers } = message;
  const place = headers === undefined ? undefined : placeOfHeaders(headers);
  if (place !== undefined && liesIn(place.bytes, key) && liesIn(place.bytes, value)) {
    const { byteOffset } = place.bytes;
    return new PackedRecord(message, allOf(place.bytes), byteOffset + place.at, byteOffset + place.end);
  }
  // A record of the format before headers.
  return {
    offset: offset(message.offset),
    recordTimeMs: Number(message.timestamp),
    key,
    value,
    headers: headers ?? {},
  };
};
