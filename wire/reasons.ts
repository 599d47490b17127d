/** Why a record cannot be stored: the closed list of design section 5. A reason is a word, never a value. */
export const QUARANTINE_REASONS = [
  'VALUE_NULL',
  'VALUE_EMPTY',
  'NOT_FRAMED',
  'SCHEMA_UNKNOWN',
  'FOREIGN_CONTRACT',
  'TYPE_DISAGREES',
  'TRUNCATED',
  'TRAILING_BYTES',
  'TIPO_UNKNOWN',
  'SYMBOL_INVALID',
  'EVIDENCE_UNBOUNDED',
  'EVIDENCE_OVER_20',
  'EVIDENCE_NOT_CANONICAL',
  'ID_INVALID',
  'TIME_OUT_OF_RANGE',
  'KEY_DISAGREES',
  'AGENTE_UNKNOWN',
  'HASH_CLASH',
  'ROW_REFUSED',
] as const;
export type QuarantineReason = (typeof QUARANTINE_REASONS)[number];

/** Of an entry: to be looked at, its event stored since, given up. */
export const QUARANTINE_STATES = ['open', 'resolved', 'discarded'] as const;
export type QuarantineState = (typeof QUARANTINE_STATES)[number];
