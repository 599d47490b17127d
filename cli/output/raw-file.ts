/**
 * Whole records for whoever asks for them explicitly: a line of JSON each, every part that a stranger may have written in
 * base64. Made anew and for the owner alone; a file that is there already is not touched.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import type { kafka } from '../../wire/index.ts';
import { isStreamError, StreamError } from '../../wire/errors.ts';

export interface RawFile {
  write(place: { readonly topic: string; readonly partition: number }, record: kafka.SourceRecord): void;
  close(): void;
}

type Raw = Buffer | string | null | undefined;

const base64 = (raw: Raw): string | null =>
  raw === null || raw === undefined ? null : Buffer.from(raw).toString('base64');

const lineOf = (
  { topic, partition }: { readonly topic: string; readonly partition: number },
  { offset, recordTimeMs, key, value, headers }: kafka.SourceRecord,
): string =>
  JSON.stringify({
    topic,
    partition,
    offset: Number(offset),
    recordTimeMs,
    key: base64(key),
    value: base64(value),
    headers: Object.entries(headers).flatMap(([name, given]) =>
      [given].flat().map((one) => ({ name: base64(name), value: base64(one) })),
    ),
  });

export const openRawFile = (file: string): RawFile => {
  const failed = (error: unknown, next: string): StreamError =>
    isStreamError(error) ? error : new StreamError('CONFIG_INVALID', `--raw ${file}`, next);
  let handle: number;
  try {
    handle = openSync(file, 'wx', 0o600);
  } catch (error) {
    throw failed(error, 'Give the name of a file that is not there yet, in a folder that is');
  }
  return {
    write: (place, record) => {
      try {
        writeSync(handle, `${lineOf(place, record)}\n`);
      } catch (error) {
        throw failed(error, 'Make room on its disk');
      }
    },
    close: () => closeSync(handle),
  };
};
