/**
 * What may be logged: an event's name and these fields. Names, places, counts and codes only, never a value of an
 * event or of a report. The logger itself is made by `cli/`; rooms get it handed in.
 */
export interface LogFields {
  readonly consumer?: string;
  readonly topic?: string;
  readonly partition?: number;
  readonly offset?: string;
  readonly toOffset?: string;
  readonly epoch?: number;
  readonly reason?: string;
  readonly code?: string;
  readonly where?: string;
  readonly next?: string;
  readonly count?: number;
  readonly stored?: number;
  readonly duplicate?: number;
  readonly filtered?: number;
  readonly quarantined?: number;
  readonly waitMs?: number;
  readonly signal?: string;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** `what` is a constant of our code: a short sentence about what happened. */
export type Log = Readonly<Record<LogLevel, (what: string, fields?: LogFields) => void>>;

export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
