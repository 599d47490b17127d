/** Many calls through one stream: the lines of `deviations report`, the messages of an MCP server. */
import { PassThrough } from 'node:stream';
import { readLines } from '../../cli/read-lines.ts';
import { serveMcp } from '../../producer/index.ts';
import type { Build } from './canary-build.ts';
import { type LineCall, notPlanted } from './canary-call.ts';
import { createSink, ioOf } from './canary-io.ts';
import { POLICY } from './canary-paths.ts';
import type { Tally } from './canary-tally.ts';

const NO_STACK = (): Promise<never> => Promise.reject(new Error('the fuzz needs no stack'));
const MAX_LINE_BYTES = 16 * 1024 * 1024;

interface SaidAnswer {
  readonly recorded: boolean;
  readonly code?: unknown;
}

/** Through the real command, dry: one answer a line, in order. */
export const throughCommand = async (
  calls: readonly LineCall[],
  agentsFile: string,
  build: Build,
  tally: Tally,
): Promise<void> => {
  if (calls.length === 0) return;
  for (const call of calls) tally.plantedIn(call, await notPlanted(call));
  const { io, stdout, stderr } = ioOf(calls.map(({ line }) => line));
  const exitCode = await build.main(['report', '--dry-run', '--agents', agentsFile], io, NO_STACK);
  const answers = stdout.text().split('\n').slice(0, -1);
  if (exitCode !== 0 || answers.length !== calls.length) {
    throw new Error(`exit code ${exitCode}, ${answers.length} answers to ${calls.length} lines`);
  }
  calls.forEach((call, at) => {
    const answer = answers[at] ?? '';
    const { record: _, ...said } = JSON.parse(answer) as SaidAnswer & { readonly record?: unknown }; // as the command prints it
    tally.answered(said);
    tally.search(call, 'stdout', answer);
  });
  tally.searchAll(calls, 'stderr', stderr.text());
};

/** Through a session of the MCP server: one answer a message, in any order. */
export const throughMcp = async (calls: readonly LineCall[], build: Build, tally: Tally): Promise<void> => {
  if (calls.length === 0) return;
  for (const call of calls) tally.plantedIn(call, await notPlanted(call));
  const [written, stderr] = [createSink(), createSink()];
  const log = build.createLog(stderr.stream);
  const producer = build.createProducer(
    POLICY,
    {
      record: ({ counts }) => Promise.resolve({ kept: true, counts }),
      countRefusal: () => {},
      state: () => Promise.resolve({ outbox: undefined, problem: undefined }),
      flush: () => Promise.resolve(0),
      close: () => Promise.resolve(0),
    },
    log,
  );
  const stdin = new PassThrough();
  const session = await serveMcp({
    producer,
    lines: readLines(stdin, MAX_LINE_BYTES),
    write: (line) => {
      written.stream.write(`${line}\n`);
      return Promise.resolve();
    },
    log,
  });
  for (const { line } of calls) stdin.write(Buffer.concat([line, Buffer.from('\n')]));
  stdin.end();
  await session.ended;
  await session.answered();
  await session.close();
  const lines = written.text().split('\n').slice(0, -1);
  if (lines.length !== calls.length) throw new Error(`${lines.length} answers to ${calls.length} messages`);
  for (const line of lines) {
    const { result } = JSON.parse(line) as { readonly result?: { readonly structuredContent?: SaidAnswer } }; // of MCP
    if (result === undefined) tally.count(tally.errors, 'JSON-RPC');
    else if (result.structuredContent !== undefined) tally.answered(result.structuredContent);
  }
  tally.searchAll(calls, 'MCP answers', written.text());
  tally.searchAll(calls, 'log', stderr.text());
};
