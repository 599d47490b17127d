/**
 * The engine's end of the outbox: hands submissions to the outbox's thread and waits for its word. While an answer is
 * due, what comes is collected and goes as one group: no linger, no timer, and one transaction for many.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type Log, within } from '../../wire/index.ts';
import type { Recorder, RecorderState, Recording } from '../recorder.ts';
import type { Submission } from '../submission.ts';
import { readOutboxStatus } from './maintain.ts';
import type { AppendAnswer } from './outbox-service.ts';
import type { TotalName } from './totals.ts';
import type { FromWorker, Ticketed, ToWorker, WorkerSettings } from './worker-messages.ts';

/** Reports that may wait for the thread; more come only from a disk that hangs. */
const MAX_PENDING = 20_000;
/** How long a refusal may be uncounted in the file, in milliseconds. */
const COUNT_REFUSALS_MS = 1_000;
/** How often the thread is started again within one wait before its reports are refused. */
const MAX_RESTARTS = 3;
/** What a close keeps back of its limit to let the file and the lease go, in milliseconds. */
const CLOSE_MARGIN_MS = 100;
/** How long the state may take to come, in milliseconds. */
const STATE_LIMIT_MS = 5_000;

const UNAVAILABLE: AppendAnswer = { kept: false, code: 'OUTBOX_UNAVAILABLE' };
const NO_STATE: RecorderState = { outbox: undefined, problem: undefined };

interface Pending {
  readonly item: Ticketed<Submission>;
  readonly answer: (answer: AppendAnswer) => void;
}

export const createOutboxRecorder = (
  settings: WorkerSettings,
  log: Log,
  onState: ((state: RecorderState) => void) | undefined,
): Recorder => {
  let lastTicket = 0;
  let restarts = 0;
  let isClosed = false;
  /** Not handed over yet, and handed over without an answer yet. */
  let collected: Pending[] = [];
  const sent = new Map<number, Pending>();
  const asked = new Map<number, (message: FromWorker) => void>();
  const refusals = new Map<TotalName, number>();
  let refusalTimer: NodeJS.Timeout | undefined;
  let worker = start();

  /** The thread keeps the process alive only while somebody waits for it. */
  function keepAlive(): void {
    if (sent.size + collected.length + asked.size > 0) worker.ref();
    else worker.unref();
  }

  function post(message: ToWorker): void {
    worker.postMessage(message);
  }

  function handOver(): void {
    if (sent.size > 0 || (collected.length === 0 && refusals.size === 0)) return;
    const group = collected;
    collected = [];
    for (const pending of group) sent.set(pending.item.ticket, pending);
    post({ kind: 'append', items: group.map(({ item }) => item), refusals: new Map(refusals) });
    refusals.clear();
  }

  function hear(message: FromWorker): void {
    switch (message.kind) {
      case 'appended':
        restarts = 0;
        for (const { ticket, of } of message.answers) {
          sent.get(ticket)?.answer(of);
          sent.delete(ticket);
        }
        handOver();
        break;
      case 'waiting':
        asked.get(message.ticket)?.(message);
        asked.delete(message.ticket);
        break;
      case 'state':
        if (message.ticket === undefined) onState?.({ outbox: message.report.status, problem: message.report.problem });
        else asked.get(message.ticket)?.(message);
        asked.delete(message.ticket ?? 0);
        break;
      case 'log':
        log[message.level](message.what, message.fields);
        break;
      default:
        message satisfies never;
    }
    keepAlive();
  }

  /** What was handed over may be durable or not: the same again tells, for the outbox remembers ids. */
  function recover(): void {
    if (isClosed) return;
    log.error('the thread of the outbox ended, starts it again', { count: restarts + 1 });
    restarts += 1;
    const unanswered = [...sent.values(), ...collected];
    sent.clear();
    if (restarts > MAX_RESTARTS) {
      collected = [];
      for (const { answer } of unanswered) answer(UNAVAILABLE);
      restarts = 0;
    } else collected = unanswered;
    worker = start();
    handOver();
    keepAlive();
  }

  function start(): Worker {
    const started = new Worker(new URL('./worker.ts', import.meta.url), { workerData: settings });
    started.on('message', hear);
    // An error of the thread ends it; its text may quote anything.
    started.on('error', () => {});
    started.once('exit', () => {
      if (worker === started) recover();
    });
    started.unref();
    return started;
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
      post(message(ticket));
      keepAlive();
    });
    return within(limitMs, answer, () => {
      asked.delete(ticket);
      keepAlive();
      return late();
    });
  };

  const waitingIn = (message: FromWorker): number => (message.kind === 'waiting' ? message.waiting : 0);
  /** When the thread does not say how many wait, the file does; it may be away as well. */
  const leftInFile = (): number => {
    try {
      return readOutboxStatus(settings.file).waiting;
    } catch {
      return sent.size + collected.length;
    }
  };

  return {
    record: (submission) =>
      new Promise<Recording>((resolve) => {
        if (sent.size + collected.length >= MAX_PENDING) {
          resolve({ kept: false, code: 'OUTBOX_FULL' });
          return;
        }
        lastTicket += 1;
        collected.push({ item: { ticket: lastTicket, of: submission }, answer: resolve });
        handOver();
        keepAlive();
      }),
    countRefusal: (code) => {
      const name: TotalName = `refused.${code}`;
      refusals.set(name, (refusals.get(name) ?? 0) + 1);
      refusalTimer ??= setTimeout(() => {
        refusalTimer = undefined;
        handOver();
      }, COUNT_REFUSALS_MS).unref();
    },
    state: () =>
      ask(
        (ticket) => ({ kind: 'state', ticket }),
        (message) =>
          message.kind === 'state' ? { outbox: message.report.status, problem: message.report.problem } : NO_STATE,
        STATE_LIMIT_MS,
        () => NO_STATE,
      ),
    flush: (limitMs) => ask((ticket) => ({ kind: 'flush', ticket, limitMs }), waitingIn, limitMs + 100, leftInFile),
    close: async (limitMs) => {
      if (isClosed) return 0;
      const deadline = performance.now() + limitMs;
      handOver();
      isClosed = true;
      clearTimeout(refusalTimer);
      const ended = once(worker, 'exit');
      const drainMs = Math.max(0, limitMs - CLOSE_MARGIN_MS);
      const waiting = await ask(
        (ticket) => ({ kind: 'close', ticket, limitMs: drainMs }),
        waitingIn,
        limitMs,
        leftInFile,
      );
      await within<unknown>(Math.max(0, deadline - performance.now()), ended, () => {});
      await worker.terminate();
      return waiting;
    },
  };
};
