/**
 * What may be logged: an event's name and these fields. Names, places, counts and codes only, never a value of an
 * event or of a report. docs/operations.md says what each is. The logger itself is made by `cli/`; rooms get it handed in.
 */
export const LOG_FIELDS = {
  consumer: 'text',
  topic: 'text',
  partition: 'number',
  offset: 'text',
  epoch: 'number',
  reason: 'text',
  code: 'text',
  where: 'text',
  next: 'text',
  count: 'number',
  stored: 'number',
  duplicate: 'number',
  filtered: 'number',
  quarantined: 'number',
  waitMs: 'number',
} as const;

type Kinds = { readonly text: string; readonly number: number };

export type LogFields = { readonly [Name in keyof typeof LOG_FIELDS]?: Kinds[(typeof LOG_FIELDS)[Name]] };

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** `what` is a constant of our code: a short sentence about what happened. */
export type Log = Readonly<Record<LogLevel, (what: string, fields?: LogFields) => void>>;

export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
