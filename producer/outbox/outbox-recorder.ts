/**
 * The engine's end of the outbox: hands submissions to the outbox's thread and waits for its word. What comes within one
 * turn of the event loop goes together, without a linger or a timer; what reaches the thread while it is at the disk
 * shares its next transaction.
 */
import { type Log, within } from '../../wire/index.ts';
import type { Recorder, RecorderState, Recording } from '../recorder.ts';
import type { RefusalCode } from '../refusals.ts';
import type { Submission } from '../submission.ts';
import { BUSY_TIMEOUT_MS } from './limits.ts';
import { lookAtStatus, lookForTaken } from './look.ts';
import { createOutboxThread } from './outbox-thread.ts';
import type { OutboxProblem } from './problem.ts';
import type { TotalName } from './totals.ts';
import {
  type FromWorker,
  packSubmissions,
  type Ticketed,
  type ToWorker,
  type WorkerSettings,
} from './worker-messages.ts';

/** Reports that may wait for the thread; more come only from a disk that hangs. */
const MAX_PENDING = 20_000;
/** So many go at once, for the thread to be at the disk while the engine makes the others of the same turn ready. */
export const GROUP = 32;
/** How long a refusal may be uncounted in the file, in milliseconds. */
const COUNT_REFUSALS_MS = 1_000;
/** What a close keeps back of its limit to let the file and the lease go, in milliseconds. */
const CLOSE_MARGIN_MS = 100;
/** How much longer than its limit a flush waits for the thread's own count, in milliseconds. */
const FLUSH_GRACE_MS = 100;
/** How long the state may take to come, in milliseconds: a report may be waiting for the disk's lock. */
const STATE_LIMIT_MS = BUSY_TIMEOUT_MS + 1_000;

const UNAVAILABLE: Recording = { kept: false, code: 'OUTBOX_UNAVAILABLE' };
const NO_STATE: RecorderState = { outbox: undefined, problem: undefined };

interface Pending {
  readonly item: Ticketed<Submission>;
  readonly answer: (answer: Recording) => void;
}

type Heard = FromWorker & { readonly kind: 'appended' };

/** For callbacks of the engine: what they throw is theirs. */
const safely = (work: () => void): void => {
  try {
    work();
  } catch {
    // Nobody here can do anything about it.
  }
};

export const createOutboxRecorder = (
  settings: WorkerSettings,
  log: Log,
  onState: ((state: RecorderState) => void) | undefined,
): Recorder => {
  let lastTicket = 0;
  /** Not handed over yet, and handed over without an answer yet. */
  let collected: Pending[] = [];
  const sent = new Map<number, Pending>();
  const asked = new Map<number, (message: FromWorker) => void>();
  let heard: Heard[] = [];
  const refusals = new Map<TotalName, number>();
  /** Whether a hand-over comes at the end of this turn. */
  let isDue = false;
  let refusalTimer: NodeJS.Timeout | undefined;
  let closing: Promise<number | undefined> | undefined;
  /** The last that the thread has told. */
  let problem: OutboxProblem | undefined;
  const thread = createOutboxThread(settings, {
    hear,
    lost,
    back: () => {
      handOver();
      keepAlive();
    },
  });

  /** The thread keeps the process alive only while somebody waits for it. */
  function keepAlive(): void {
    thread.keepAlive(sent.size + collected.length + asked.size > 0);
  }

  function handOver(): void {
    isDue = false;
    if (!thread.isThere()) return;
    if (collected.length === 0 && refusals.size === 0) return;
    const group = collected;
    collected = [];
    for (const pending of group) sent.set(pending.item.ticket, pending);
    const items = packSubmissions(group.map(({ item }) => item));
    thread.post({ kind: 'append', items, refusals: new Map(refusals) });
    refusals.clear();
  }

  /** Behind all that the current turn of the engine still reports. */
  function handOverSoon(): void {
    if (isDue) return;
    isDue = true;
    process.nextTick(() => {
      handOver();
      keepAlive();
    });
  }

  /** Without an answer of its own: kept, with the counts that were handed over. */
  function settle(ticket: number, answer?: Recording): void {
    const pending = sent.get(ticket);
    sent.delete(ticket);
    pending?.answer(answer ?? { kept: true, counts: pending.item.of.counts });
  }

  function settleHeard(): void {
    const answers = heard;
    heard = [];
    for (const { kept, others } of answers) {
      for (const ticket of kept) settle(ticket);
      for (const { ticket, of } of others) settle(ticket, of);
    }
    keepAlive();
  }

  /**
   * Not while Node hands over messages: what the engine reports in answer would bring the next message before it is done
   * with them, and it takes a thousand of them before it looks at the engine's timers and sockets again.
   */
  function settleSoon(answer: Heard): void {
    heard.push(answer);
    if (heard.length === 1) setImmediate(settleHeard);
  }

  function hear(message: FromWorker): void {
    switch (message.kind) {
      case 'appended':
        thread.works();
        settleSoon(message);
        break;
      case 'waiting':
        // What was reported before is answered before.
        settleHeard();
        asked.get(message.ticket)?.(message);
        asked.delete(message.ticket);
        break;
      case 'state':
        if (message.ticket === undefined) {
          const state: RecorderState = { outbox: message.report.status, problem: message.report.problem };
          safely(() => onState?.(state));
        } else asked.get(message.ticket)?.(message);
        asked.delete(message.ticket ?? 0);
        break;
      case 'problem':
        problem = message.problem;
        break;
      case 'log':
        safely(() => log[message.level](message.what, message.fields));
        break;
      default:
        message satisfies never;
    }
    keepAlive();
  }

  /** Truly, as far as the file can be read: nobody has a transaction open for them any more. */
  function answerWithoutThread(): void {
    const unanswered = [...sent.values(), ...collected];
    sent.clear();
    collected = [];
    if (unanswered.length === 0) return;
    const taken = lookForTaken(
      settings.file,
      unanswered.map(({ item }) => item.of.eventId),
    );
    for (const { item, answer } of unanswered) {
      const counts = taken.get(item.of.eventId);
      answer(counts === undefined ? UNAVAILABLE : { kept: true, counts });
    }
  }

  /**
   * What was handed over may be durable or not. A thread that starts again is told the same again, for the outbox
   * remembers ids; after the last one the file is asked.
   */
  function lost({ restarts, givesUp }: { readonly restarts: number; readonly givesUp: boolean }): void {
    if (closing === undefined) {
      safely(() => log.error('the thread of the outbox ended, starts it again', { count: restarts }));
    }
    settleHeard();
    if (givesUp) answerWithoutThread();
    else collected = [...sent.values(), ...collected];
    sent.clear();
  }

  const ask = <T>(
    message: (ticket: number) => ToWorker,
    read: (answer: FromWorker) => T,
    limitMs: number,
    late: () => T,
  ) => {
    lastTicket += 1;
    const ticket = lastTicket;
    const answer = new Promise<T>((resolve) => {
      asked.set(ticket, (said) => resolve(read(said)));
      thread.post(message(ticket));
      keepAlive();
    });
    return within(limitMs, answer, () => {
      asked.delete(ticket);
      keepAlive();
      return late();
    });
  };

  const waitingIn = (message: FromWorker): number | undefined =>
    message.kind === 'waiting' ? message.waiting : undefined;

  const inFile = (): RecorderState => ({ outbox: lookAtStatus(settings.file), problem: undefined });
  const leftInFile = (): number | undefined => inFile().outbox?.waiting;

  const countRefusal = (code: RefusalCode): void => {
    const name: TotalName = `refused.${code}`;
    refusals.set(name, (refusals.get(name) ?? 0) + 1);
    refusalTimer ??= setTimeout(() => {
      refusalTimer = undefined;
      handOver();
    }, COUNT_REFUSALS_MS).unref();
  };

  const closeNow = async (limitMs: number): Promise<number | undefined> => {
    const deadline = performance.now() + limitMs;
    clearTimeout(refusalTimer);
    handOver();
    thread.letEnd();
    if (!thread.isThere()) {
      answerWithoutThread();
      return leftInFile();
    }
    const drainMs = Math.max(0, limitMs - CLOSE_MARGIN_MS);
    const waiting = await ask(
      (ticket) => ({ kind: 'close', ticket, limitMs: drainMs }),
      waitingIn,
      limitMs,
      leftInFile,
    );
    const leftMs = (): number => Math.max(0, deadline - performance.now());
    await thread.ended(leftMs());
    // A thread that still waits for the disk owes answers, and ends by itself once it has given them.
    if (sent.size === 0) await thread.ended(leftMs(), { force: true });
    return waiting;
  };

  return {
    record: (submission) =>
      new Promise<Recording>((resolve) => {
        if (closing !== undefined) {
          resolve({ kept: false, code: 'CLOSED' });
          return;
        }
        if (sent.size + collected.length >= MAX_PENDING) {
          countRefusal('OUTBOX_FULL');
          resolve({ kept: false, code: 'OUTBOX_FULL' });
          return;
        }
        lastTicket += 1;
        collected.push({ item: { ticket: lastTicket, of: submission }, answer: resolve });
        if (collected.length >= GROUP) handOver();
        else handOverSoon();
      }),
    countRefusal,
    state: () =>
      closing === undefined
        ? ask(
            (ticket) => ({ kind: 'state', ticket }),
            (message) =>
              message.kind === 'state' ? { outbox: message.report.status, problem: message.report.problem } : NO_STATE,
            STATE_LIMIT_MS,
            () => ({ outbox: undefined, problem }),
          )
        : closing.then(inFile),
    flush: (limitMs) =>
      closing === undefined
        ? ask((ticket) => ({ kind: 'flush', ticket, limitMs }), waitingIn, limitMs + FLUSH_GRACE_MS, leftInFile)
        : closing.then(leftInFile),
    close: (limitMs) => (closing ??= closeNow(limitMs)),
  };
};
