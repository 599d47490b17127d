/** The real program in this process: its streams in memory, its environment given, its exit code answered. */
import { Readable, Writable } from 'node:stream';
import { main } from '../../cli/main.ts';
import type { Output } from '../../cli/io.ts';

export interface RunWish {
  /** Text, bytes, or bytes in these pieces. */
  readonly stdin?: string | Buffer | readonly Buffer[];
  readonly env?: Readonly<Record<string, string>>;
  /** A terminal this wide; a pipe unless given. */
  readonly columns?: number;
}

export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

const collect = (columns: number | undefined): { readonly output: Output; readonly text: () => string } => {
  const chunks: Buffer[] = [];
  const writable = new Writable({
    write: (chunk: Buffer | string, _encoding, done) => {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  return {
    output: Object.assign(writable, columns === undefined ? {} : { isTTY: true, columns }),
    text: () => Buffer.concat(chunks).toString('utf8'),
  };
};

const stdinOf = (given: RunWish['stdin']): Readable => {
  if (given === undefined) return Readable.from([]);
  if (typeof given === 'string' || Buffer.isBuffer(given)) return Readable.from([Buffer.from(given)]);
  return Readable.from([...given]);
};

export const runCli = async (argv: readonly string[], wish: RunWish = {}): Promise<Ran> => {
  const [stdout, stderr] = [collect(wish.columns), collect(wish.columns)];
  const exitCode = await main(
    argv,
    {
      stdin: stdinOf(wish.stdin),
      stdout: stdout.output,
      stderr: stderr.output,
      env: wish.env ?? {},
      stop: new AbortController().signal,
    },
    () => Promise.reject(new Error('no test of the command line opens a stack')),
  );
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
};

/** The lines of a text, each of which has an end. */
export const linesIn = (text: string): readonly string[] => text.split('\n').slice(0, -1);
