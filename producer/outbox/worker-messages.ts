/** What the engine's thread and the outbox's thread say to each other. Structured clones: plain data, no object of the model's. */
import type { kafka, LogFields, LogLevel, RegistrySettings } from '../../wire/index.ts';
import type { Submission } from '../submission.ts';
import type { OutboxLimits } from './limits.ts';
import type { AppendAnswer, ServiceReport } from './outbox-service.ts';
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
    tickets.push(ticket);
    texts.push(
      of.eventId,
      of.key,
      JSON.stringify(of.headers),
      Buffer.from(of.body.buffer, of.body.byteOffset, of.body.length).toString('latin1'),
      of.schemaHash,
      of.contentHash,
      JSON.stringify(of.counts),
    );
  }
  return { tickets, texts };
};

export const unpackSubmissions = ({ tickets, texts }: PackedSubmissions): readonly Ticketed<Submission>[] =>
  tickets.map((ticket, index) => {
    const [eventId = '', key = '', headers = '', body = '', schemaHash = '', contentHash = '', counts = ''] =
      texts.slice(index * TEXTS_EACH, (index + 1) * TEXTS_EACH);
    return {
      ticket,
      of: {
        eventId,
        key,
        headers: JSON.parse(headers) as Submission['headers'], // packed above, by this process
        body: Buffer.from(body, 'latin1'),
        schemaHash,
        contentHash,
        counts: JSON.parse(counts) as Submission['counts'], // likewise
      },
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
  | { readonly kind: 'appended'; readonly kept: readonly number[]; readonly others: readonly Ticketed<AppendAnswer>[] }
  /** How many still wait: the answer to `flush` and `close`. Undefined while the file cannot be read. */
  | { readonly kind: 'waiting'; readonly ticket: number; readonly waiting: number | undefined }
  | { readonly kind: 'state'; readonly ticket: number | undefined; readonly report: ServiceReport }
  /** Said at once, for the thread may wait for the disk when it is asked. */
  | { readonly kind: 'problem'; readonly problem: OutboxProblem | undefined }
  | { readonly kind: 'log'; readonly level: LogLevel; readonly what: string; readonly fields: LogFields };
