/** The producer with its thread, no broker and no registry near: what the engine's side of the outbox must stand. */
import { Worker } from 'node:worker_threads';
import {
  createDeviationProducer,
  type DeviationProducer,
  type ProducerOptions,
  type Answer,
} from '../../producer/index.ts';
import { AGENTES, aContext, anInput } from './builders.ts';

/** Nobody listens on port 1. */
export const NOBODY = { kafka: { brokers: ['127.0.0.1:1'] }, registry: { url: 'http://127.0.0.1:1' } } as const;

export const openProducer = (outboxFile: string, given: Partial<ProducerOptions> = {}): DeviationProducer =>
  createDeviationProducer({ agents: AGENTES, ...NOBODY, outboxFile, ...given });

export const reportNo = (n: number, tipo = 'laco') => ({
  context: aContext({ toolCallId: `call_${n}` }),
  input: anInput({ tipo }),
});

/** `count` reports at once, from the n-th on. */
export const reportMany = (producer: DeviationProducer, first: number, count: number): Promise<readonly Answer[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => producer.report(reportNo(first + index))));

export const idsIn = (answers: readonly Answer[]): readonly string[] =>
  answers.flatMap((answer) => (answer.recorded ? [answer.eventId] : []));

export interface Watch {
  /** The threads that were talked to since, in order. */
  readonly threads: readonly Worker[];
  end(): void;
}

/** The producer shows its thread to nobody; whoever posts to one is seen here. */
export const watchThreads = (): Watch => {
  const threads: Worker[] = [];
  const post = Object.getOwnPropertyDescriptor(Worker.prototype, 'postMessage')?.value as Worker['postMessage']; // a method
  Worker.prototype.postMessage = function (this: Worker, ...message: Parameters<Worker['postMessage']>): void {
    if (!threads.includes(this)) threads.push(this);
    post.apply(this, message);
  };
  return {
    threads,
    end: () => {
      Worker.prototype.postMessage = post;
    },
  };
};
