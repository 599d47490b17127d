/** What the program touches of the world around it. Handed in, so that a test can run the real program in process. */
import type { Readable, Writable } from 'node:stream';

/** Ctrl-C. */
export const INTERRUPTED = 'SIGINT';
export const TERMINATED = 'SIGTERM';
/** Whoever read our data is gone. */
export const CLOSED_PIPE = 'EPIPE';

export interface Output extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface Io {
  readonly stdin: Readable;
  /** Data only. */
  readonly stdout: Output;
  /** Talk only. */
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Raised with one of the reasons below. */
  readonly stop: AbortSignal;
}

/** A broker and a registry to try things on. `stack/` fills this in: rooms never look back at it. */
export interface OpenedStack {
  readonly kind: string;
  readonly env: { readonly KAFKA_BROKERS: string; readonly SCHEMA_REGISTRY_URL: string };
  readonly howToStop: string;
  stop(): Promise<void>;
}

export interface StackWish {
  readonly environment: Io['env'];
  readonly say: (line: string) => void;
  readonly keep?: boolean;
  readonly signal?: AbortSignal;
}

export type StackDoor = (wish: StackWish) => Promise<OpenedStack>;

/** Resolves once the line is with the reader, so that a slow one holds us back instead of filling the memory. */
export const writeLine = (output: Writable, line: string): Promise<void> =>
  new Promise((resolve) => {
    output.write(`${line}\n`, () => resolve());
  });
