/** What the engine's thread and the outbox's thread say to each other. Structured clones: plain data, no object of the model's. */
import type { kafka, LogFields, LogLevel, RegistrySettings } from '../../wire/index.ts';
import type { Recording } from '../recorder.ts';
import { storable, type StorableSubmission, type Submission } from '../submission.ts';
import type { OutboxLimits } from './limits.ts';
import type { ServiceReport } from './outbox-service.ts';
import type { OutboxProblem } from './problem.ts';
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

/**
 * Submissions as flat lists of numbers and texts: cloning an object a report, with its names, costs more than all the
 * rest of a report does (measured). Bodies are bytes as Latin-1 text.
 */
export interface PackedSubmissions {
  readonly tickets: readonly number[];
  /** Seven a submission, in the order of `unpackSubmissions`. */
  readonly texts: readonly string[];
}

const TEXTS_EACH = 7;

export const packSubmissions = (items: readonly Ticketed<Submission>[]): PackedSubmissions => {
  const tickets: number[] = [];
  const texts: string[] = [];
  for (const { ticket, of } of items) {
    const { eventId, key, headers, body, schemaHash, contentHash, counts } = storable(of);
    tickets.push(ticket);
    const bodyText = Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1');
    texts.push(eventId, key, headers, bodyText, schemaHash, contentHash, counts);
  }
  return { tickets, texts };
};

export const unpackSubmissions = ({ tickets, texts }: PackedSubmissions): readonly Ticketed<StorableSubmission>[] =>
  tickets.map((ticket, index) => {
    const [eventId = '', key = '', headers = '', body = '', schemaHash = '', contentHash = '', counts = ''] =
      texts.slice(index * TEXTS_EACH, (index + 1) * TEXTS_EACH);
    return {
      ticket,
      of: { eventId, key, headers, body: Buffer.from(body, 'latin1'), schemaHash, contentHash, counts },
    };
  });

export type ToWorker =
  | {
      readonly kind: 'append';
      readonly items: PackedSubmissions;
      readonly refusals: ReadonlyMap<TotalName, number>;
    }
  | { readonly kind: 'flush'; readonly ticket: number; readonly limitMs: number }
  | { readonly kind: 'state'; readonly ticket: number }
  | { readonly kind: 'close'; readonly ticket: number; readonly limitMs: number };

export type FromWorker =
  /** `kept`: tickets whose answer is their own counts, nearly all of them; `others`: repeats and refusals. */
  | { readonly kind: 'appended'; readonly kept: readonly number[]; readonly others: readonly Ticketed<Recording>[] }
  /** How many still wait: the answer to `flush` and `close`. Undefined while the file cannot be read. */
  | { readonly kind: 'waiting'; readonly ticket: number; readonly waiting: number | undefined }
  | { readonly kind: 'state'; readonly ticket: number | undefined; readonly report: ServiceReport }
  /** Said at once, for the thread may wait for the disk when it is asked. */
  | { readonly kind: 'problem'; readonly problem: OutboxProblem | undefined }
  | { readonly kind: 'log'; readonly level: LogLevel; readonly what: string; readonly fields: LogFields };
