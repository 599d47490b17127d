/**
 * Flushes that are asked for within one turn of the event loop share a transaction: what one fetch brings of several
 * partitions waits for the disk once, and the next fetch is on its way by then.
 */
import type { DatabaseSync } from 'node:sqlite';
import { sqliteCodeOf, transaction } from '../../../wire/index.ts';
import type { FlushAnswer, FlushRequest } from '../store.ts';

/** No other flush is begun in a transaction that has taken so long, in milliseconds: heartbeats wait for its end. */
const LONG_MS = 100;

interface Asked {
  readonly request: FlushRequest;
  readonly resolve: (answer: FlushAnswer) => void;
  readonly reject: (error: unknown) => void;
}

export interface GroupedFlush {
  /** Rejects with what SQLite said. */
  flush(request: FlushRequest): Promise<FlushAnswer>;
  /** Does at once what is still waited for. */
  end(): void;
}

/** `flushIn` does one of them inside of a transaction. */
export const flushTogether = (
  database: DatabaseSync,
  flushIn: (request: FlushRequest) => FlushAnswer,
): GroupedFlush => {
  let waiting: readonly Asked[] = [];

  const flushAll = (asked: readonly Asked[]): readonly FlushAnswer[] =>
    transaction(database, () => {
      const beganMs = performance.now();
      const answers: FlushAnswer[] = [];
      for (const { request } of asked) {
        if (answers.length > 0 && performance.now() - beganMs > LONG_MS) break;
        answers.push(flushIn(request));
      }
      return answers;
    });

  /** Answers those that are left. */
  const settle = (asked: readonly Asked[]): readonly Asked[] => {
    try {
      const answers = flushAll(asked);
      answers.forEach((answer, at) => asked[at]?.resolve(answer));
      return asked.slice(answers.length);
    } catch (error) {
      // Nothing of them is written. Only one may be at fault, so each is tried alone; for a lock all would wait again.
      const [first, ...others] = asked;
      if (first !== undefined && others.length > 0 && sqliteCodeOf(error) !== 'BUSY') {
        settle([first]);
        return others;
      }
      for (const { reject } of asked) reject(error);
      return [];
    }
  };

  const takeTurn = (): void => {
    waiting = settle(waiting);
    if (waiting.length > 0) setImmediate(takeTurn);
  };

  return {
    flush: (request) =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) setImmediate(takeTurn);
        waiting = [...waiting, { request, resolve, reject }];
      }),
    end: () => {
      while (waiting.length > 0) waiting = settle(waiting);
    },
  };
};
