/** Keeps the outbox's thread going: starts it, starts it again when it ends, and rests when it keeps ending. */
import { Worker } from 'node:worker_threads';
import { within } from '../../wire/index.ts';
import type { FromWorker, ToWorker, WorkerSettings } from './worker-messages.ts';

/** How often it is started again without having answered anything before the unanswered are given up. */
export const MAX_RESTARTS = 3;
/** And how long it then rests before the next try, in milliseconds. */
export const RESTART_PAUSE_MS = 1_000;
/** In megabytes. What the thread makes is short-lived; left alone, it would take some 45 MB more before it collects. */
const YOUNG_GENERATION_MB = 4;

export interface ThreadHandlers {
  hear(message: FromWorker): void;
  /** It has ended; what was posted may be done or not. `givesUp`: it will not be back at once. */
  lost(given: { readonly restarts: number; readonly givesUp: boolean }): void;
  /** It is there again. */
  back(): void;
}

export interface OutboxThread {
  /** False while it rests or after its end: then `post` reaches nobody. */
  isThere(): boolean;
  post(message: ToWorker): void;
  /** Whether the process waits for it. */
  keepAlive(isAwaited: boolean): void;
  /** It answers, so the next end is the first again. */
  works(): void;
  /** From now on an end is final. */
  letEnd(): void;
  /** Waits until it has ended by itself; `force`: ends it. */
  ended(limitMs: number, options?: { readonly force: boolean }): Promise<void>;
}

interface Running {
  readonly worker: Worker;
  readonly ended: Promise<void>;
}

export const createOutboxThread = (settings: WorkerSettings, handlers: ThreadHandlers): OutboxThread => {
  let restarts = 0;
  let isLast = false;
  let pause: NodeJS.Timeout | undefined;
  /** Undefined during a pause. */
  let running: Running | undefined = start();

  function start(): Running {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: settings,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    worker.on('message', handlers.hear);
    // An error of the thread ends it; its text may quote anything.
    worker.on('error', () => {});
    const ended = new Promise<void>((resolve) => {
      worker.once('exit', () => {
        if (running?.worker === worker) lose();
        resolve();
      });
    });
    worker.unref();
    return { worker, ended };
  }

  function startAgain(): void {
    pause = undefined;
    running = start();
    handlers.back();
  }

  function lose(): void {
    running = undefined;
    restarts += 1;
    const givesUp = isLast || restarts > MAX_RESTARTS;
    handlers.lost({ restarts, givesUp });
    if (isLast) return;
    if (givesUp) pause = setTimeout(startAgain, RESTART_PAUSE_MS);
    else startAgain();
  }

  return {
    isThere: () => running !== undefined,
    post: (message) => running?.worker.postMessage(message),
    keepAlive: (isAwaited) => {
      for (const one of [running?.worker, pause]) {
        if (isAwaited) one?.ref();
        else one?.unref();
      }
    },
    works: () => {
      restarts = 0;
    },
    letEnd: () => {
      isLast = true;
      clearTimeout(pause);
    },
    ended: async (limitMs, { force } = { force: false }) => {
      if (running === undefined) return;
      const { worker, ended } = running;
      if (force) void worker.terminate();
      await within(limitMs, ended, () => {});
    },
  };
};
