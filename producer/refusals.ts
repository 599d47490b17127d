/**
 * A report that becomes no event: one code of a closed list, in the order of the checks, and one constant answer each.
 * An answer names the rule and lets the model correct itself; it repeats nothing that came from outside.
 */
import { EVIDENCE_CEILING, TIPOS } from '../schemas/index.ts';

/** More ids than any honest report has; the model is told to choose (design section 4). */
export const EVIDENCE_LIST_LIMIT = 1_000;

export const REFUSAL_CODES = [
  'REPORT_UNREADABLE',
  'CONTEXT_INVALID',
  'INPUT_NOT_AN_OBJECT',
  'TIPO_UNKNOWN',
  'AGENTE_UNKNOWN',
  'EVIDENCE_NOT_A_LIST',
  'EVIDENCE_TOO_LONG',
  'OUTBOX_FULL',
  'OUTBOX_UNAVAILABLE',
  'CLOSED',
] as const;
export type RefusalCode = (typeof REFUSAL_CODES)[number];

const MESSAGES = {
  REPORT_UNREADABLE: 'Not recorded: the report is not one JSON object on a line of at most 16 MiB of UTF-8.',
  CONTEXT_INVALID:
    'Not recorded: the context that the engine gives with this call is incomplete or wrong. Do not repeat the call; the engine must be corrected.',
  INPUT_NOT_AN_OBJECT:
    'Not recorded: the arguments must be one JSON object with agente, tipo and evidenceEventIds. Call again with such an object, not with a text or a list.',
  TIPO_UNKNOWN: `Not recorded: tipo must be exactly one of ${TIPOS.join(', ')}, at the top level of the arguments. Call again with one of them.`,
  AGENTE_UNKNOWN:
    "Not recorded: agente must be the slug of one of this product's agents (lower-case letters, digits and single hyphens), at the top level of the arguments. Call again with the agent's slug, not its display name and never a person's name.",
  EVIDENCE_NOT_A_LIST:
    'Not recorded: evidenceEventIds must be a list of event ids. Call again with a list; it may be empty.',
  EVIDENCE_TOO_LONG: `Not recorded: evidenceEventIds may hold at most ${EVIDENCE_LIST_LIMIT} entries. Call again with the ${EVIDENCE_CEILING} that show the deviation best.`,
  OUTBOX_FULL: 'Not recorded: too many reports are waiting to be sent. Call again later with the same arguments.',
  OUTBOX_UNAVAILABLE:
    'Not recorded: the report could not be stored now. Call again later with the same arguments; calling again is safe.',
  CLOSED: 'Not recorded: the session engine is shutting down and takes no more reports.',
} as const satisfies Record<RefusalCode, string>;

export interface Refused {
  readonly recorded: false;
  readonly code: RefusalCode;
  readonly message: string;
}

export const refused = (code: RefusalCode): Refused => ({ recorded: false, code, message: MESSAGES[code] });
