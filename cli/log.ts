/** The program's logger: JSON lines on stderr, with the fields of `LogFields` and no other. */
import { pino } from 'pino';
import { type Log, LOG_FIELDS, type LogFields, type LogLevel } from '../wire/log.ts';
import type { ConfiguredLogLevel } from './config.ts';
import type { Io } from './io.ts';

/** Built field by field: what is not named there is not logged. */
const FIELDS = Object.keys(LOG_FIELDS) as (keyof LogFields)[]; // its own keys

export const createLog = (level: ConfiguredLogLevel, stderr: Io['stderr']): Log => {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    stderr,
  );
  const at =
    (logLevel: LogLevel) =>
    (what: string, fields: LogFields = {}): void => {
      const allowed: Record<string, unknown> = {};
      for (const name of FIELDS) if (fields[name] !== undefined) allowed[name] = fields[name];
      logger[logLevel](allowed, what);
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
};
