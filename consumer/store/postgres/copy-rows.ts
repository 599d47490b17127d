/**
 * Rows in PostgreSQL's binary COPY form: a third cheaper for both sides than text parameters, and without a limit on
 * their number. Layout: https://www.postgresql.org/docs/current/sql-copy.html, "Binary Format".
 */
import { shownActor } from '../../../schemas/index.ts';
import type { DeviationRow } from '../../outcome.ts';

/** The columns in the order in which they are written, with their types: the temporary table is made of these. */
export const COPIED_COLUMNS = [
  'id uuid',
  'session_id uuid',
  'project_id uuid',
  'actor text',
  'occurred_at timestamptz',
  'agente text',
  'tipo text',
  'evidence_event_ids uuid[]',
  'log_offset bigint',
  'schema_id integer',
  'content_hash text',
  'trace_id text',
] as const;

const HYPHEN = '-'.charCodeAt(0);
const SIGNATURE = Buffer.from('PGCOPY\n\u00ff\r\n\0', 'latin1');
const UUID_OID = 2950;
const UUID_BYTES = 16;
/** PostgreSQL counts microseconds from 2000-01-01 UTC. */
const EPOCH_MS = Date.UTC(2000, 0, 1);
/** More than a row takes without its evidence: fixed parts, texts of at most 32 and 64 characters. */
const ROW_BYTES = 384;
const EVIDENCE_BYTES = 4 + UUID_BYTES;
const TWO_TO_32 = 2 ** 32;

/** The value of each hexadecimal digit, by its character code. */
const HEX = new Uint8Array(128);
for (let value = 0; value < 16; value += 1) HEX[value.toString(16).charCodeAt(0)] = value;

const FIRST_BYTES = 64 * 1_024;

/** Writes into one buffer, in which `room` is to be made before each row. */
const createWriter = () => {
  let buffer = Buffer.allocUnsafe(FIRST_BYTES);
  let at = 0;
  const room = (bytes: number): void => {
    if (at + bytes <= buffer.length) return;
    const larger = Buffer.allocUnsafe(2 * buffer.length + bytes);
    buffer.copy(larger, 0, 0, at);
    buffer = larger;
  };
  const int16 = (value: number): void => {
    at = buffer.writeInt16BE(value, at);
  };
  const int32 = (value: number): void => {
    at = buffer.writeInt32BE(value, at);
  };
  const uuidBytes = (id: string): void => {
    // A canonical id: 36 characters, four of them hyphens. By hand, for there are six of them in a row of the table.
    for (let digit = 0; digit < id.length; digit += 2) {
      if (id.charCodeAt(digit) === HYPHEN) digit += 1;
      buffer[at] = ((HEX[id.charCodeAt(digit)] ?? 0) << 4) | (HEX[id.charCodeAt(digit + 1)] ?? 0);
      at += 1;
    }
  };
  return {
    room,
    int16,
    int32,
    uuid: (id: string): void => {
      int32(UUID_BYTES);
      uuidBytes(id);
    },
    bigint: (value: bigint): void => {
      int32(8);
      at = buffer.writeBigInt64BE(value, at);
    },
    /** A whole number within 2^53. */
    long: (value: number): void => {
      int32(8);
      int32(Math.floor(value / TWO_TO_32));
      at = buffer.writeUInt32BE(value - Math.floor(value / TWO_TO_32) * TWO_TO_32, at);
    },
    int: (value: number): void => {
      int32(4);
      int32(value);
    },
    /** ASCII alone: ids, slugs, words, digits. */
    text: (value: string | undefined): void => {
      if (value === undefined) {
        int32(-1);
        return;
      }
      int32(value.length);
      at += buffer.write(value, at, 'latin1');
    },
    uuids: (ids: readonly string[]): void => {
      const dimension = ids.length === 0 ? 0 : 8;
      int32(12 + dimension + ids.length * EVIDENCE_BYTES);
      int32(ids.length === 0 ? 0 : 1);
      int32(0);
      int32(UUID_OID);
      if (ids.length > 0) {
        int32(ids.length);
        int32(1);
      }
      for (const id of ids) {
        int32(UUID_BYTES);
        uuidBytes(id);
      }
    },
    raw: (bytes: Buffer): void => {
      at += bytes.copy(buffer, at);
    },
    written: (): Buffer => buffer.subarray(0, at),
  };
};

export interface CopyForm {
  add(row: DeviationRow): void;
  /** All of it; nothing can be added behind. */
  end(): Buffer;
}

export const createCopyForm = (): CopyForm => {
  const write = createWriter();
  write.raw(SIGNATURE);
  write.int32(0);
  write.int32(0);
  return {
    add: ({ event, offset, schemaId, contentHash, traceId }) => {
      write.room(ROW_BYTES + event.evidenceEventIds.length * EVIDENCE_BYTES);
      write.int16(COPIED_COLUMNS.length);
      write.uuid(event.eventId);
      write.uuid(event.sessionId);
      write.uuid(event.projectId);
      write.text(shownActor(event.actor));
      write.long((event.occurredAt - EPOCH_MS) * 1_000);
      write.text(event.agente);
      write.text(event.tipo);
      write.uuids(event.evidenceEventIds);
      write.bigint(offset);
      write.int(schemaId);
      write.text(contentHash);
      write.text(traceId);
    },
    end: () => {
      write.room(2);
      write.int16(-1);
      return write.written();
    },
  };
};
