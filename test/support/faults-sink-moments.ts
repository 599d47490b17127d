/**
 * The moments at which a sink may be killed or frozen, as its drivers see them: whatever the product does with its drivers, each one's
 * call and answer is a moment. Nothing of the product is replaced.
 */
import { DatabaseSync, StatementSync } from 'node:sqlite';
import Broker from 'kafkajs/src/broker/index.js';
import pg from 'pg';

export const MOMENTS = [
  'before-joining',
  'after-joining',
  'before-a-claim',
  'after-a-claim',
  'before-a-transaction',
  'in-a-transaction',
  'before-the-database-commit',
  'after-the-database-commit',
  'before-the-kafka-commit',
  'after-the-kafka-commit',
  'before-leaving',
] as const;
export type Moment = (typeof MOMENTS)[number];

export interface Blow {
  readonly moment: Moment;
  readonly nth: number;
  readonly signal: 'SIGKILL' | 'SIGSTOP';
}

type Anything = (...given: readonly unknown[]) => unknown;

/** Replaces a method by one that tells when it is called and when it has answered. */
const around = (
  where: object,
  name: string,
  before: (given: readonly unknown[], self: unknown) => void,
  after: (given: readonly unknown[], self: unknown) => void,
): void => {
  const was = Object.getOwnPropertyDescriptor(where, name)?.value as Anything; // a method of a driver
  Object.defineProperty(where, name, {
    configurable: true,
    writable: true,
    value(this: unknown, ...given: readonly unknown[]): unknown {
      before(given, this);
      const heard = given.at(-1);
      // A driver with callbacks answers there.
      const told =
        typeof heard === 'function'
          ? [...given.slice(0, -1), (...answer: readonly unknown[]) => (after(given, this), heard(...answer))]
          : given;
      const answer = Reflect.apply(was, this, told);
      if (typeof heard === 'function') return answer;
      if (!(answer instanceof Promise)) {
        after(given, this);
        return answer;
      }
      return answer.then((value: unknown) => (after(given, this), value));
    },
  });
};

/** Of its own, the last of several statements, or the statement that is a whole flush. */
const COMMIT = /\bcommit\s*$|^\s*with moved as/i;
const CLAIM = /insert into stream_positions/i;

/** A process that has not ticked for so long was stopped, or might as well have been. */
const FROZEN_MS = 2_000;

/** Ends or stops this very process as the kernel would, at the n-th time the moment comes. */
export const strikeAt = ({ moment, nth, signal }: Blow): void => {
  let [seen, isOver, tickedAtMs] = [0, false, performance.now()];
  /** Whoever was frozen and thawed has had its blow. */
  const look = (): void => {
    isOver ||= performance.now() - tickedAtMs > FROZEN_MS;
  };
  setInterval(() => {
    look();
    tickedAtMs = performance.now();
  }, 50).unref();
  const at = (here: Moment): void => {
    look();
    if (here !== moment || isOver) return;
    seen += 1;
    if (seen === nth) process.kill(process.pid, signal);
  };
  const sqlBefore = (sql: string): void => {
    if (/^\s*begin/i.test(sql)) at('before-a-transaction');
    else if (COMMIT.test(sql)) at('before-the-database-commit');
    else if (CLAIM.test(sql)) at('before-a-claim');
  };
  const sqlAfter = (sql: string): void => {
    if (/^\s*begin/i.test(sql)) at('in-a-transaction');
    else if (COMMIT.test(sql)) at('after-the-database-commit');
    else if (CLAIM.test(sql)) at('after-a-claim');
  };
  /** A statement, or an object with one, which is sent as soon as it is given. */
  const textOf = ([first]: readonly unknown[]): string => {
    const text: unknown = typeof first === 'object' && first !== null ? Reflect.get(first, 'text') : first;
    return typeof text === 'string' ? text : '';
  };
  const statementOf = (self: unknown): string => (self instanceof StatementSync ? self.sourceSQL : '');

  around(
    DatabaseSync.prototype,
    'exec',
    (given) => sqlBefore(textOf(given)),
    (given) => sqlAfter(textOf(given)),
  );
  around(
    StatementSync.prototype,
    'get',
    (_, self) => sqlBefore(statementOf(self)),
    (_, self) => sqlAfter(statementOf(self)),
  );
  around(
    pg.Client.prototype,
    'query',
    (given) => sqlBefore(textOf(given)),
    (given) => sqlAfter(textOf(given)),
  );
  around(
    Broker.prototype,
    'joinGroup',
    () => at('before-joining'),
    () => at('after-joining'),
  );
  around(
    Broker.prototype,
    'leaveGroup',
    () => at('before-leaving'),
    () => {},
  );
  around(
    Broker.prototype,
    'offsetCommit',
    () => at('before-the-kafka-commit'),
    () => at('after-the-kafka-commit'),
  );
};
