/**
 * kafkajs reads gzip alone; the first batch that another client compressed otherwise ends a consumer. The other three of
 * the protocol are added here, each bounded: a small batch may unpack to any size.
 */
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';

const require = createRequire(import.meta.url);
/** Native parts, loaded by whoever reads a topic. */
const snappy = () => require('snappy') as typeof import('snappy');
const lz4 = () => require('lz4-napi') as typeof import('lz4-napi');

/** A broken installation shows when a reader starts, not with the first compressed batch. */
export const loadCodecs = (): void => {
  snappy();
  lz4();
};

/** A fetch brings ten megabytes at most; what unpacks to more than this is no batch of events. */
const MAX_UNPACKED_BYTES = 128 * 1024 * 1024;

interface Encoded {
  readonly buffer: Buffer;
}

/** Java's clients wrap snappy in blocks of their own: a signature, two versions, then length and block in turn. */
const XERIAL = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
const XERIAL_HEADER_BYTES = 16;

const bounded = (unpacked: Buffer): Buffer => {
  if (unpacked.length > MAX_UNPACKED_BYTES) throw new RangeError('a batch unpacks to more than any batch of events');
  return unpacked;
};

/** The blocks' own headers say how long they unpack: a varint, asked before anything is allocated. */
const snappyLength = (block: Buffer): number => {
  let length = 0;
  for (let index = 0, shift = 0; index < block.length && shift < 35; index += 1, shift += 7) {
    const byte = block[index] ?? 0;
    length += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) break;
  }
  return length;
};

const unpackSnappyBlock = async (block: Buffer): Promise<Buffer> => {
  if (snappyLength(block) > MAX_UNPACKED_BYTES)
    throw new RangeError('a block unpacks to more than any batch of events');
  return Buffer.from(await snappy().uncompress(block));
};

const unpackSnappy = async (packed: Buffer): Promise<Buffer> => {
  if (!packed.subarray(0, XERIAL.length).equals(XERIAL)) return unpackSnappyBlock(packed);
  const blocks: Buffer[] = [];
  for (let at = XERIAL_HEADER_BYTES; at < packed.length; ) {
    const length = packed.readInt32BE(at);
    blocks.push(await unpackSnappyBlock(packed.subarray(at + 4, at + 4 + length)));
    at += 4 + length;
  }
  return bounded(Buffer.concat(blocks));
};

const unpackZstd = promisify<Buffer, { maxOutputLength: number }, Buffer>(zstdDecompress);
const packZstd = promisify<Buffer, Buffer>(zstdCompress);

export const addCodecs = ({ CompressionCodecs, CompressionTypes }: typeof import('kafkajs')): void => {
  CompressionCodecs[CompressionTypes.Snappy] = () => ({
    compress: async ({ buffer }: Encoded) => Buffer.from(await snappy().compress(buffer)),
    decompress: unpackSnappy,
  });
  CompressionCodecs[CompressionTypes.LZ4] = () => ({
    compress: ({ buffer }: Encoded) => lz4().compressFrame(buffer),
    decompress: async (packed: Buffer) => bounded(await lz4().decompressFrame(packed)),
  });
  CompressionCodecs[CompressionTypes.ZSTD] = () => ({
    compress: ({ buffer }: Encoded) => packZstd(buffer),
    decompress: (packed: Buffer) => unpackZstd(packed, { maxOutputLength: MAX_UNPACKED_BYTES }),
  });
};
