/**
 * kafkajs makes a zeroed buffer of 512 bytes, which no pool keeps, for each header of each record, and an array and a buffer
 * for each small number: of what sending our records costs it that was the greater part, in time and in garbage. Here
 * buffers come from the pool and grow with what is written, and numbers are written in place; the bytes are the same. The
 * version is pinned; a test notices when this stops working.
 */
import type Encoder from 'kafkajs/src/protocol/encoder.js';

const FIRST_BYTES = 64;
const VARINT_MOST_BYTES = 5;
/** Numbers below it, negative ones too, are the same as a long and as an int. */
const INT_LIMIT = 2 ** 30;

const isInt = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) < INT_LIMIT && Number(value) > -INT_LIMIT;

export const mendEncoding = (encoder: typeof Encoder): void => {
  const { prototype } = encoder;
  const asItWas = Object.getOwnPropertyDescriptor(prototype, 'writeVarLong')?.value as Encoder['writeVarLong']; // a method
  const sizeAsItWas = encoder.sizeOfVarLong.bind(encoder);

  // Asked for by the constructor alone, once growing is ours: it begins without a buffer.
  encoder.nextPowerOfTwo = () => 0;

  prototype.ensureAvailable = function (this: Encoder, length: number): void {
    const needed = this.offset + length;
    if (needed <= this.buf.length) return;
    let size = Math.max(FIRST_BYTES, 2 * this.buf.length);
    while (size < needed) size *= 2;
    const grown = Buffer.allocUnsafe(size);
    this.buf.copy(grown, 0, 0, this.offset);
    this.buf = grown;
  };

  prototype.writeUVarInt = function (this: Encoder, value: number): Encoder {
    this.ensureAvailable(VARINT_MOST_BYTES);
    let left = value >>> 0;
    for (; left > 0x7f; left >>>= 7) this.buf[this.offset++] = (left & 0x7f) | 0x80;
    this.buf[this.offset++] = left;
    return this;
  };

  prototype.writeVarLong = function (this: Encoder, value: unknown): Encoder {
    return isInt(value) ? this.writeVarInt(value) : asItWas.call(this, value);
  };
  encoder.sizeOfVarLong = (value) => (isInt(value) ? encoder.sizeOfVarInt(value) : sizeAsItWas(value));
};
