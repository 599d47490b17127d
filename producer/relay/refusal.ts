/** Whose fault is a failed send? A record's own: it is set aside. Anything else, a clock's too: the relay holds. */
import { isStreamError } from '../../wire/index.ts';

/**
 * The broker's words for "not this record, not now, not later". An unfit time is a clock's fault and passes; so does
 * CORRUPT_MESSAGE, which the protocol calls retriable: bytes changed on their way.
 */
const RECORDS_OWN = new Set([
  'MESSAGE_TOO_LARGE',
  'RECORD_LIST_TOO_LARGE',
  'INVALID_RECORD',
  'UNSUPPORTED_FOR_MESSAGE_FORMAT',
]);

/** The broker's code when it refuses a record or its batch for its own sake. */
export const recordsOwnFault = (error: unknown): string | undefined =>
  isStreamError(error) && error.detail !== undefined && RECORDS_OWN.has(error.detail) ? error.detail : undefined;
