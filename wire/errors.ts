/**
 * Every failure that crosses a room's border: one class, one table. A code is added by adding a row.
 * A message is made of constants and of places (a setting's name, a file, a topic, an offset), never of a value that
 * an event, a report or another client carried. Errors of our dependencies do quote values, so they are never a cause.
 */
const FACTS = {
  UNEXPECTED: { retriable: false, exitCode: 1, what: 'something happened that this program does not expect' },
  USAGE: { retriable: false, exitCode: 2, what: 'the command line is not right' },
  CONFIG_MISSING: { retriable: false, exitCode: 3, what: 'a setting is missing' },
  CONFIG_INVALID: { retriable: false, exitCode: 3, what: 'a setting is not right' },
  EVENT_INVALID: { retriable: false, exitCode: 1, what: 'an event built by code breaks its schema' },
  CONTRACT_MISMATCH: { retriable: false, exitCode: 3, what: 'the contract here and the one out there differ' },
  BROKER_UNREACHABLE: { retriable: true, exitCode: 4, what: 'the broker does not answer' },
  BROKER_REFUSED: { retriable: true, exitCode: 4, what: 'the broker refused the request' },
  TOPIC_MISSING: { retriable: true, exitCode: 4, what: 'the topic does not exist' },
  REGISTRY_UNREACHABLE: { retriable: true, exitCode: 4, what: 'the schema registry does not answer' },
  REGISTRY_REFUSED: { retriable: true, exitCode: 4, what: 'the schema registry refused the request' },
  SUBJECT_MISSING: { retriable: true, exitCode: 4, what: 'the schema is not registered' },
  DATABASE_UNREACHABLE: { retriable: true, exitCode: 4, what: 'the database cannot be opened' },
  DATABASE_NOT_MIGRATED: { retriable: true, exitCode: 4, what: 'the database lacks the tables of this version' },
  DATABASE_REFUSED: { retriable: true, exitCode: 4, what: 'the database refused the request' },
  OUTBOX_MISSING: { retriable: true, exitCode: 4, what: 'there is no outbox' },
  OUTBOX_REFUSED: { retriable: true, exitCode: 4, what: 'the outbox cannot be used' },
  CONSUMER_AWAY: { retriable: true, exitCode: 4, what: 'the consumer is not running' },
  STACK_UNAVAILABLE: { retriable: false, exitCode: 4, what: 'no broker and registry to try this on' },
  NOT_DRAINED: { retriable: true, exitCode: 4, what: 'some reports have not reached the topic yet' },
  DATA_PROBLEM: { retriable: false, exitCode: 5, what: 'the data is not as it must be' },
  HALTED: {
    retriable: false,
    exitCode: 5,
    what: 'stopped, because going on would lose events without anyone noticing',
  },
} as const satisfies Record<string, { retriable: boolean; exitCode: number; what: string }>;

export type ErrorCode = keyof typeof FACTS;

/** What happened (by the code), where (a place, never a value), and what to do next. */
export class StreamError extends Error {
  readonly code: ErrorCode;
  readonly where: string;
  readonly next: string;
  /** The dependency's own code behind ours, when there is one. */
  readonly detail: string | undefined;

  constructor(code: ErrorCode, where: string, next: string, detail?: string) {
    super(`${FACTS[code].what} (${code}): ${where}. ${next}`);
    this.name = 'StreamError';
    this.code = code;
    this.where = where;
    this.next = next;
    this.detail = detail;
  }

  /** What happened, by the code. */
  get what(): string {
    return FACTS[this.code].what;
  }

  /** Whether the same attempt may succeed later without anybody changing anything here. */
  get retriable(): boolean {
    return FACTS[this.code].retriable;
  }

  /** The process exit code this failure ends with, when it ends the process. */
  get exitCode(): number {
    return FACTS[this.code].exitCode;
  }
}

/** By name and not by `instanceof`, which fails across realms (a test runner's sandbox is one). */
export const isStreamError = (error: unknown): error is StreamError =>
  error instanceof Error && error.name === 'StreamError' && 'code' in error && String(error.code) in FACTS;

/** The machine-readable code of a dependency's error (`ECONNREFUSED`, `UNKNOWN_TOPIC_OR_PARTITION`), if it is one. */
export const codeOf = (error: unknown): string => {
  if (typeof error !== 'object' || error === null) return 'UNKNOWN';
  for (const key of ['code', 'type', 'name'] as const) {
    const value = (error as Record<string, unknown>)[key];
    if (typeof value === 'string' && /^[A-Za-z][A-Za-z0-9_]{1,63}$/.test(value)) return value;
  }
  return 'UNKNOWN';
};
