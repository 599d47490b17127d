/** The program's logger: JSON lines on stderr, with the fields of `LogFields` and no other. */
import { pino } from 'pino';
import type { Log, LogFields, LogLevel } from '../wire/index.ts';
import type { ConfiguredLogLevel } from './config.ts';
import type { Io } from './io.ts';

/** Built field by field: what is not named here is not logged. */
const FIELDS = [
  'consumer',
  'topic',
  'partition',
  'offset',
  'toOffset',
  'epoch',
  'reason',
  'code',
  'where',
  'next',
  'count',
  'stored',
  'duplicate',
  'filtered',
  'quarantined',
  'waitMs',
  'signal',
] as const satisfies readonly (keyof LogFields)[];

/** A field of `LogFields` without a line above would be dropped in silence: the compiler says so. */
type Unlisted = Exclude<keyof LogFields, (typeof FIELDS)[number]>;
const noneUnlisted: Unlisted extends never ? true : Unlisted = true;

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
  return noneUnlisted && { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
};
