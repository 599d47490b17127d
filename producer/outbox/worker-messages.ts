/** What the engine's thread and the outbox's thread say to each other. Structured clones: plain data, no object of the model's. */
import type { kafka, LogFields, LogLevel, RegistrySettings } from '../../wire/index.ts';
import type { Submission } from '../submission.ts';
import type { OutboxLimits } from './limits.ts';
import type { AppendAnswer, ServiceReport } from './outbox-service.ts';
import type { TotalName } from './totals.ts';

export interface WorkerSettings {
  readonly file: string;
  readonly limits: OutboxLimits;
  readonly kafka: kafka.KafkaSettings;
  readonly registry: RegistrySettings;
  readonly topic: string;
  /** Whether reports of the state are wanted. */
  readonly reportsState: boolean;
}

export interface Ticketed<T> {
  readonly ticket: number;
  readonly of: T;
}

export type ToWorker =
  | {
      readonly kind: 'append';
      readonly items: readonly Ticketed<Submission>[];
      readonly refusals: ReadonlyMap<TotalName, number>;
    }
  | { readonly kind: 'flush'; readonly ticket: number; readonly limitMs: number }
  | { readonly kind: 'state'; readonly ticket: number }
  | { readonly kind: 'close'; readonly ticket: number; readonly limitMs: number };

export type FromWorker =
  | { readonly kind: 'appended'; readonly answers: readonly Ticketed<AppendAnswer>[] }
  /** How many still wait: the answer to `flush` and `close`. */
  | { readonly kind: 'waiting'; readonly ticket: number; readonly waiting: number }
  | { readonly kind: 'state'; readonly ticket: number | undefined; readonly report: ServiceReport }
  | { readonly kind: 'log'; readonly level: LogLevel; readonly what: string; readonly fields: LogFields };
