/** Where an accepted deviation goes; the producer knows no more of the outbox than this. */
import type { OutboxStatus } from './outbox/status.ts';
import type { OutboxProblem } from './outbox/problem.ts';
import type { RefusalCode } from './refusals.ts';
import type { AnswerCounts, Submission } from './submission.ts';

export type Recording =
  /** Durable. A repeated call has the counts of its first answer. */
  | { readonly kept: true; readonly counts: AnswerCounts }
  /** Not in the outbox. */
  | { readonly kept: false; readonly code: RefusalCode };

export interface RecorderState {
  /** Undefined while the outbox cannot be read. */
  readonly outbox: OutboxStatus | undefined;
  /** Why the outbox is not available, if it is not. */
  readonly problem: OutboxProblem | undefined;
}

export interface Recorder {
  /** Never rejects. */
  record(submission: Submission): Promise<Recording>;
  countRefusal(code: RefusalCode): void;
  state(): Promise<RecorderState>;
  /** Waits until nothing waits any more, `limitMs` at most; answers how many still wait, undefined while it cannot be read. */
  flush(limitMs: number): Promise<number | undefined>;
  /** Ends within the limit; answers as `flush` does: what waits is for the next process to send. */
  close(limitMs: number): Promise<number | undefined>;
}
