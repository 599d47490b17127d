/**
 * The catalogue of ids. Every string of an event is an id of one of these kinds; the grammar, not the Avro type, is
 * what keeps text out. A kind's name is the `logicalType` its fields carry in the .avsc files.
 */

/** By character code, for an event has up to 24 of them: as a regular expression it takes over twice as long. */
const IS_HEX_DIGIT = new Uint8Array(128);
for (const digit of '0123456789abcdef') IS_HEX_DIGIT[digit.charCodeAt(0)] = 1;
const HYPHEN = '-'.charCodeAt(0);
const isHyphenPlace = (at: number): boolean => at === 8 || at === 13 || at === 18 || at === 23;

const AGENT_ID = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Longest slug of an agent, in characters (design 3.2). */
export const AGENT_ID_MAX_LENGTH = 32;
const UUID_LENGTH = 36;

/** 8-4-4-4-12 lower-case hexadecimal digits; the version and variant digits are not checked. */
const isUuidForm = (text: string): boolean => {
  if (text.length !== UUID_LENGTH) return false;
  for (let at = 0; at < UUID_LENGTH; at += 1) {
    const code = text.charCodeAt(at);
    if (isHyphenPlace(at) ? code !== HYPHEN : IS_HEX_DIGIT[code] !== 1) return false;
  }
  return true;
};

export const isCanonicalUuid = (value: unknown): value is string => typeof value === 'string' && isUuidForm(value);

export const isAgentId = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= AGENT_ID_MAX_LENGTH && AGENT_ID.test(value);

/** A UUID in either case, lowered; `undefined` for anything else: braces, `urn:`, spaces, missing hyphens. */
export const parseUuid = (value: unknown): string | undefined => {
  if (typeof value !== 'string' || value.length !== UUID_LENGTH) return undefined;
  if (isUuidForm(value)) return value;
  const lowered = value.toLowerCase();
  // Lowering can shorten or widen other scripts (the Kelvin sign becomes k): the grammar is asked after it.
  return isUuidForm(lowered) ? lowered : undefined;
};

/** The grammar of each kind, by the name of its logical type. */
export const ID_KINDS = {
  uuid: isCanonicalUuid,
  'agent-id': isAgentId,
} as const satisfies Record<string, (value: unknown) => value is string>;

export type IdKind = keyof typeof ID_KINDS;
