import { createHash } from 'node:crypto';
import type { kafka } from '../../wire/index.ts';
import type { Witness } from '../store/store.ts';

/** The record's offset, time, key and size; none of its value. The key is an id or, from a foreign writer, anything: hashed. */
export const witnessOf = (record: kafka.SourceRecord): Witness => ({
  offset: record.offset,
  hash: createHash('sha256')
    .update(
      JSON.stringify([
        String(record.offset),
        record.recordTimeMs,
        record.key?.toString('hex') ?? null,
        record.value?.length ?? 0,
      ]),
    )
    .digest('hex'),
});
