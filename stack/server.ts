import { StreamError } from '../wire/errors.ts';
import { waitUntil } from './wait.ts';

/** A started broker, registry or database. Its address stays the same for as long as it lives. */
export interface Server {
  /** `host:port`, or the URL of a registry. */
  readonly address: string;
  /** Stops the clock for it: connections stay open and nothing answers. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Ends it without warning, as a power cut would. `restart` brings it back. */
  kill(): Promise<void>;
  /** Up again on the same port, with the data a broker or a database had; the registry keeps its schemas in memory. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** The process or the container of a server, and what can be done to it from outside. */
export interface Body {
  start(): Promise<void>;
  isRunning(): Promise<boolean>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  kill(): Promise<void>;
  /** Ends it in its own time, then by force. */
  end(): Promise<void>;
  /** Ends it and removes what belongs to it alone. */
  remove(): Promise<void>;
  /** Puts the log where it outlives the server, and tells the path. */
  keepLog(): Promise<string>;
}

export interface ServerPlan {
  /** `broker`, `registry` or `database`: the word for it in messages. */
  readonly name: string;
  readonly address: string;
  /** Resolves to true once clients are served; false or an error means not yet. */
  readonly answers: () => Promise<boolean>;
  readonly body: Body;
  readonly say: (line: string) => void;
  /** Ends the waiting of the first start. */
  readonly signal: AbortSignal;
}

const LIMIT_MS = 60_000;

/** Starts a server and waits until it answers; a server that does not is removed again. */
export const startServer = async (plan: ServerPlan): Promise<Server> => {
  const { name, address, answers, body, say } = plan;

  const failedTo = async (what: string): Promise<StreamError> =>
    new StreamError('STACK_UNAVAILABLE', `the ${name} ${what}`, `Its log is ${await body.keepLog()}.`);

  const up = async (signal?: AbortSignal): Promise<void> => {
    await body.start();
    const answered = await waitUntil(LIMIT_MS, signal, async () => {
      if (await answers().catch(() => false)) return true;
      if (await body.isRunning()) return false;
      throw await failedTo('ended while it started');
    });
    if (!answered) throw await failedTo(`did not answer within ${LIMIT_MS / 1000} s`);
  };

  const sinceMs = performance.now();
  try {
    await up(plan.signal);
  } catch (error) {
    await body.remove();
    throw error;
  }
  say(`the ${name} answers at ${address} after ${((performance.now() - sinceMs) / 1000).toFixed(1)} s`);

  return {
    address,
    pause: () => body.pause(),
    resume: () => body.resume(),
    kill: () => body.kill(),
    restart: async () => {
      await body.end();
      await up();
    },
    stop: () => body.remove(),
  };
};
