/** The program as a process: the first Ctrl-C ends it where it stands, and a reader that has seen enough is no failure. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { migrate, openStore } from '../../../consumer/index.ts';
import { aFlush, aRow, KEY } from '../../contract/flushes.ts';
import { AGENTES, aReport } from '../../support/builders.ts';
import { linesOf, PROGRAM, startDeviations } from '../../support/processes.ts';
import { waitFor } from '../../support/wait-for.ts';

const ROWS = 2_000;

let folder: string;
let env: Readonly<Record<string, string>>;
/** Takes connections and never says a word. */
let silent: Server;
let connections = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'deviations-pipes-'));
  const url = `sqlite:${join(folder, 'session-events.db')}`;
  await migrate({ url });
  const store = await openStore({ url });
  const { epoch } = await store.claim(KEY);
  const rows = Array.from({ length: ROWS }, (_, index) => aRow(index));
  await store.flush(aFlush(epoch, undefined, ROWS, { rows }));
  await store.close();
  writeFileSync(join(folder, 'agents.txt'), AGENTES.join('\n'));
  env = { PATH: process.env.PATH ?? '', DATABASE_URL: url, AGENTS_FILE: join(folder, 'agents.txt') };

  silent = createServer((socket) => {
    connections += 1;
    socket.on('error', () => socket.destroy()).resume();
  });
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  silent.close();
  await once(silent, 'close');
});

const REPORTS = `${JSON.stringify(aReport())}\n`.repeat(ROWS);

/** Reads the first line, closes its end, and answers how the program took it. */
const head = async (args: readonly string[], lines: number) => {
  const child = spawn(process.execPath, [PROGRAM, ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.on('error', () => {});
  child.stdin.end(REPORTS);
  if (lines === 0) child.stdout.destroy();
  else {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      if (linesOf(stdout).length >= lines) child.stdout.destroy();
    });
  }
  await once(child, 'exit');
  return { code: child.exitCode, signal: child.signalCode, stderr };
};

describe('a reader that has seen enough', () => {
  test.each([
    [0, '--help'],
    [1, 'query --help'],
    [1, 'query'],
    [1, 'query -o table'],
    [1, 'query -o ndjson'],
    [0, 'query -o json'],
    [1, 'report --dry-run'],
    [0, 'tool --for mcp'],
    [0, 'position show'],
  ])('after line %i ends deviations %s in silence with 0', async (lines, line) => {
    expect(await head(line.split(' '), lines)).toMatchObject({ code: 0, signal: null, stderr: '' });
  });
});

describe('the first Ctrl-C', () => {
  test('ends a command that waits for its database, before that wait is over', async () => {
    const address = silent.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const before = connections;
    const running = startDeviations(['query', '--database', `postgres://u@127.0.0.1:${port}/d`], { env });
    await waitFor('the question to reach the database', () => connections > before);
    running.kill('SIGINT');
    // Had it waited, it would have said that the database does not answer, with 4.
    expect(await running.ended()).toMatchObject({ code: 130, stdout: '', stderr: '' });
  });

  test('ends a listing in the middle', async () => {
    const child = spawn(process.execPath, [PROGRAM, 'query', '-o', 'ndjson'], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    await once(child.stdout, 'readable');
    // Nobody reads on, so that it stands with its pipe full.
    child.kill('SIGINT');
    await once(child, 'exit');
    expect(child.exitCode).toBe(130);
  });

  test('that a parent hands on beside it is the same one: what must be put away still is', async () => {
    const child = spawn(process.execPath, [PROGRAM, 'report', '--dry-run'], { env, stdio: ['pipe', 'pipe', 'pipe'] });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.stdin.write(`${JSON.stringify(aReport())}\n`);
    await once(child.stdout, 'readable');
    // Of two kinds, for two of one kind may arrive as one.
    child.kill('SIGINT');
    child.kill('SIGTERM');
    await once(child, 'close');
    // Had the second one counted, it would have ended at once and without a sum.
    expect(stderr).toBe('1 recorded, 0 refused (dry run)\n');
    // When both are pending, the kernel may run the handler of either one first.
    expect([130, 0]).toContain(child.exitCode);
  });
});
