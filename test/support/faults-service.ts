/** The outbox service with a relay that does nothing but say that it was there, and a log that is kept. */
import type { OutboxLimits } from '../../producer/outbox/limits.ts';
import { createOutboxService, type OutboxService } from '../../producer/outbox/outbox-service.ts';
import type { WaitingRows } from '../../producer/outbox/waiting-rows.ts';
import { DEFAULT_LIMITS } from '../../producer/outbox/limits.ts';
import type { Recording } from '../../producer/recorder.ts';
import { storable, type Submission } from '../../producer/submission.ts';
import type { Log, LogFields } from '../../wire/index.ts';
import { NOON_MS } from './builders.ts';
import { told } from './faults-outbox.ts';

export interface LogEntry {
  readonly level: string;
  readonly what: string;
  readonly fields: LogFields;
}

export interface KeptLog {
  readonly log: Log;
  readonly entries: readonly LogEntry[];
  /** The codes of the entries that say this. */
  readonly codesOf: (what: string) => readonly (string | undefined)[];
}

export const keepLog = (): KeptLog => {
  const entries: LogEntry[] = [];
  const at =
    (level: string) =>
    (what: string, fields: LogFields = {}): void => {
      entries.push({ level, what, fields });
    };
  return {
    log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
    entries,
    codesOf: (what) => entries.filter((entry) => entry.what === what).map(({ fields }) => fields.code),
  };
};

export interface TriedService extends KeptLog {
  readonly service: OutboxService;
  readonly append: (submissions: readonly Submission[]) => readonly Recording[];
  /** The rows of the relays that were started, the latest last. */
  readonly relays: readonly WaitingRows[];
}

export const tryService = (file: string, limits: Partial<OutboxLimits> = {}): TriedService => {
  const kept = keepLog();
  const relays: WaitingRows[] = [];
  const service = createOutboxService({
    file,
    limits: { ...DEFAULT_LIMITS, ...limits },
    nowMs: () => NOON_MS,
    log: kept.log,
    onProblem: () => {},
    startRelay: (rows) => {
      relays.push(rows);
      return { wake: () => {}, stop: () => Promise.resolve() };
    },
  });
  return {
    ...kept,
    service,
    relays,
    append: (submissions) => service.append(submissions.map(storable), new Map()).map(told),
  };
};

export const UNAVAILABLE = 'the outbox is not available';
export const AVAILABLE = 'the outbox is available again';
