/** The program's streams in memory, and this process's own while a run lasts. */
import { Readable, Writable } from 'node:stream';
import type { Io } from '../../cli/io.ts';

export interface Sink {
  readonly stream: Writable;
  text(): string;
}

export const createSink = (): Sink => {
  const chunks: Buffer[] = [];
  return {
    stream: new Writable({
      write: (chunk: Buffer | string, _encoding, done) => {
        chunks.push(Buffer.from(chunk));
        done();
      },
    }),
    text: () => Buffer.concat(chunks).toString('utf8'),
  };
};

export interface MemoryIo {
  readonly io: Io;
  readonly stdout: Sink;
  readonly stderr: Sink;
}

/** `lines` without their ends. The noisiest log there is. */
export const ioOf = (lines: readonly Buffer[], env: Io['env'] = {}): MemoryIo => {
  const [stdout, stderr] = [createSink(), createSink()];
  const stdin = Readable.from(
    lines.flatMap((line) => [line, Buffer.from('\n')]),
    { objectMode: false },
  );
  const io: Io = {
    stdin,
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: { LOG_LEVEL: 'debug', ...env },
    stop: new AbortController().signal,
  };
  return { io, stdout, stderr };
};

export interface ProcessOutput {
  /** What was written since the last look, to either stream of this process. */
  taken(): string;
  giveBack(): void;
}

/** Nothing here may write to the process's own streams: they are held while a run lasts. */
export const holdProcessOutput = (): ProcessOutput => {
  const streams = [process.stdout, process.stderr];
  const originals = streams.map((stream) => Object.getOwnPropertyDescriptor(stream, 'write'));
  let text = '';
  const write = (chunk: Uint8Array | string, ...rest: readonly unknown[]): boolean => {
    text += Buffer.from(chunk as string).toString('utf8'); // a text or bytes, as a stream takes them
    const done = rest.at(-1);
    if (typeof done === 'function') done();
    return true;
  };
  for (const stream of streams)
    Object.defineProperty(stream, 'write', { value: write, configurable: true, writable: true });
  return {
    taken: () => {
      const now = text;
      text = '';
      return now;
    },
    giveBack: () => {
      streams.forEach((stream, at) => {
        const original = originals[at];
        if (original === undefined) Reflect.deleteProperty(stream, 'write');
        else Object.defineProperty(stream, 'write', original);
      });
    },
  };
};
