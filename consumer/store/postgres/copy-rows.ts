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

const SIGNATURE = Buffer.from('PGCOPY\n\u00ff\r\n\0', 'latin1');
const UUID_OID = 2950;
const UUID_BYTES = 16;
/** PostgreSQL counts microseconds from 2000-01-01 UTC. */
const EPOCH_MS = BigInt(Date.UTC(2000, 0, 1));
/** More than any row takes: fixed parts, texts of at most 32 and 64 characters, 20 ids. */
const MAX_ROW_BYTES = 1_024;

/** Writes into one buffer that was made large enough beforehand. */
const createWriter = (size: number) => {
  const buffer = Buffer.allocUnsafe(size);
  let at = 0;
  const int16 = (value: number): void => {
    at = buffer.writeInt16BE(value, at);
  };
  const int32 = (value: number): void => {
    at = buffer.writeInt32BE(value, at);
  };
  const uuidBytes = (id: string): void => {
    // A canonical id: 36 characters, four of them hyphens.
    at += buffer.write(id.replaceAll('-', ''), at, UUID_BYTES, 'hex');
  };
  return {
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
      int32(12 + dimension + ids.length * (4 + UUID_BYTES));
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

export const copyForm = (rows: readonly DeviationRow[]): Buffer => {
  const write = createWriter(SIGNATURE.length + 8 + rows.length * MAX_ROW_BYTES + 2);
  write.raw(SIGNATURE);
  write.int32(0);
  write.int32(0);
  for (const { event, offset, schemaId, contentHash, traceId } of rows) {
    write.int16(COPIED_COLUMNS.length);
    write.uuid(event.eventId);
    write.uuid(event.sessionId);
    write.uuid(event.projectId);
    write.text(shownActor(event.actor));
    write.bigint((BigInt(event.occurredAt) - EPOCH_MS) * 1_000n);
    write.text(event.agente);
    write.text(event.tipo);
    write.uuids(event.evidenceEventIds);
    write.bigint(offset);
    write.int(schemaId);
    write.text(contentHash);
    write.text(traceId);
  }
  write.int16(-1);
  return write.written();
};
