/**
 * The catalogue of ids. Every string of an event is an id of one of these kinds; the grammar, not the Avro type, is
 * what keeps text out. A kind's name is the `logicalType` its fields carry in the .avsc files.
 */

/** 8-4-4-4-12 lower-case hexadecimal digits; the version and variant digits are not checked. */
const UUID_CANONICAL = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const AGENT_ID = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Longest slug of an agent, in characters (design 3.2). */
export const AGENT_ID_MAX_LENGTH = 32;
const UUID_LENGTH = 36;

export const isCanonicalUuid = (value: unknown): value is string =>
  typeof value === 'string' && value.length === UUID_LENGTH && UUID_CANONICAL.test(value);

export const isAgentId = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= AGENT_ID_MAX_LENGTH && AGENT_ID.test(value);

/** A UUID in either case, lowered; `undefined` for anything else: braces, `urn:`, spaces, missing hyphens. */
export const parseUuid = (value: unknown): string | undefined => {
  if (typeof value !== 'string' || value.length !== UUID_LENGTH) return undefined;
  if (UUID_CANONICAL.test(value)) return value;
  const lowered = value.toLowerCase();
  // Lowering can shorten or widen other scripts (the Kelvin sign becomes k): the grammar is asked after it.
  return UUID_CANONICAL.test(lowered) ? lowered : undefined;
};

/** The grammar of each kind, by the name of its logical type. */
export const ID_KINDS = {
  uuid: isCanonicalUuid,
  'agent-id': isAgentId,
} as const satisfies Record<string, (value: unknown) => value is string>;

export type IdKind = keyof typeof ID_KINDS;
