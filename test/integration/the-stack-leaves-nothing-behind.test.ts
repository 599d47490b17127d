import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { lookForDocker } from '../../stack/docker/engine.ts';
import { RUNS } from '../../stack/folders.ts';
import { type StartedKind, startBroker } from '../../stack/index.ts';
import { lookForLocal } from '../../stack/local/look.ts';
import { waitUntil } from '../../stack/wait.ts';
import type { StreamError } from '../../wire/errors.ts';
import { kindsToTry } from '../support/stack-kinds.ts';

const FOUND = { docker: await lookForDocker(process.env, () => {}), local: await lookForLocal(process.env) };
const KINDS = kindsToTry();

/** Ten minutes, because a first start may have to download the servers. */
const FIRST_START_MS = 600_000;
const GONE_MS = 20_000;

/** Long enough for a first server to be there, too short for all of them to be up. */
const ABORTED_AFTER_MS = 2_000;

const PROGRAM = `
  const [door, then] = process.argv.slice(1);
  const { openStack } = await import(door);
  const stack = await openStack({
    environment: process.env,
    say: () => {},
    keep: then === 'keep',
    ...(then === 'give up' ? { signal: AbortSignal.timeout(${ABORTED_AFTER_MS}) } : {}),
  }).catch((error) => ({ howToStop: error.name }));
  process.stdout.write(stack.howToStop + '\\n');
  if (then === 'stay' || then === 'give up') setInterval(() => {}, 1000);
  if (then === 'stop') await stack.stop();
`;

const runners: ChildProcess[] = [];
afterEach(() => {
  for (const runner of runners.splice(0)) runner.kill('SIGKILL');
});

interface Runner {
  readonly pid: number;
  /** What it says once its stack is up: how to stop it. */
  readonly said: () => string;
  readonly isOver: () => boolean;
  readonly kill: () => void;
}

/** A process of its own that opens a stack and then stays, stops it, ends and keeps it, or gives up half-way and stays. */
const startRunner = (kind: StartedKind, then: 'stay' | 'stop' | 'keep' | 'give up'): Runner => {
  const door = join(import.meta.dirname, '../../stack/index.ts');
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, door, then], {
    env: { ...process.env, SESSION_STACK: kind },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  runners.push(child);
  let said = '';
  child.stdout.on('data', (bytes) => {
    said += String(bytes);
  });
  if (child.pid === undefined) throw new Error('the runner did not start');
  return {
    pid: child.pid,
    said: () => said.trim(),
    isOver: () => child.exitCode !== null || child.signalCode !== null,
    kill: () => child.kill('SIGKILL'),
  };
};

const output = (program: string, ...args: readonly string[]): string[] =>
  execFileSync(program, args, { encoding: 'utf8' }).split('\n');

/** Every line of the process table that names the run of that process; the guardian's is among them. */
const processesOf = (pid: number): string[] =>
  output('ps', '-A', '-o', 'pid=,args=').filter((line) => new RegExp(`[ /]${pid}-\\d+-[0-9a-f]{8}\\b`).test(line));

/** The processes, folders and containers of the run that this process opened: each run's name begins with its owner's id. */
const tracesOf = (pid: number): string[] => [
  ...processesOf(pid),
  // The folder is made by the first local run.
  ...(existsSync(RUNS) ? readdirSync(RUNS).filter((name) => name.startsWith(`${pid}-`)) : []),
  ...(FOUND.docker.works
    ? output('docker', 'ps', '-a', '--format', '{{.Label "session-events.run"}} {{.Image}}').filter((line) =>
        line.startsWith(`${pid}-`),
      )
    : []),
];

const isServer = (trace: string): boolean => /kafka|registry/i.test(trace) && !trace.includes('end-run.sh');
const until = async (what: string, limitMs: number, isTrue: () => boolean): Promise<void> => {
  if (!(await waitUntil(limitMs, undefined, isTrue))) throw new Error(`waited ${limitMs} ms for: ${what}`);
};
const untilGone = async (pid: number): Promise<void> => {
  await waitUntil(GONE_MS, undefined, () => tracesOf(pid).length === 0);
  expect(tracesOf(pid)).toEqual([]);
};

describe.each(KINDS)('%s', (kind) => {
  const { works, because } = FOUND[kind];
  if (!works) process.stderr.write(`the-stack-leaves-nothing-behind: ${kind} is skipped, ${because}\n`);
  const testIt = works ? test : test.skip;

  testIt(
    'a runner that is killed while its servers start leaves nothing',
    async () => {
      const killed = startRunner(kind, 'stay');
      await until('a first server', FIRST_START_MS, () => tracesOf(killed.pid).some(isServer));
      expect(killed.said()).toBe('');
      killed.kill();
      await untilGone(killed.pid);
    },
    FIRST_START_MS,
  );

  testIt(
    'a runner that is killed when its servers are up leaves nothing, and no run touches those beside it',
    async () => {
      const killed = startRunner(kind, 'stay');
      await until('the stack to be up', FIRST_START_MS, () => killed.said() !== '');
      const beside = startRunner(kind, 'stay');
      await until('the run beside it to be up', FIRST_START_MS, () => beside.said() !== '');

      const [before, untouched] = [tracesOf(killed.pid), tracesOf(beside.pid)];
      expect(before.filter(isServer).length).toBeGreaterThanOrEqual(2);
      killed.kill();
      await untilGone(killed.pid);
      expect(tracesOf(beside.pid)).toEqual(untouched);
      beside.kill();
      await untilGone(beside.pid);
    },
    2 * FIRST_START_MS,
  );

  testIt(
    'an opening that is given up leaves nothing, while its runner lives on',
    async () => {
      const runner = startRunner(kind, 'give up');
      await until('the runner to give up', FIRST_START_MS, () => runner.said() !== '');
      expect(runner.said()).toBe('TimeoutError');
      await untilGone(runner.pid);
      expect(runner.isOver()).toBe(false);
    },
    FIRST_START_MS,
  );

  testIt(
    'a server that does not come up is told with its log',
    async () => {
      const wish = { environment: process.env, say: () => {} };
      const start = startBroker(kind, wish, { 'log.segment.bytes': 'not a number' });
      const { code, next } = await start.then(
        () => ({ code: 'none', next: '' }),
        (error: StreamError) => error,
      );
      expect(code).toBe('STACK_UNAVAILABLE');
      const log = /^Its log is (.+)\.$/.exec(next)?.[1] ?? '';
      expect(readFileSync(log, 'utf8')).toContain('log.segment.bytes');
      rmSync(log);
    },
    FIRST_START_MS,
  );

  testIt(
    'a stack that is kept outlives its runner and the next run, and ends by the command that is told',
    async () => {
      const kept = startRunner(kind, 'keep');
      await until('the runner to end', FIRST_START_MS, kept.isOver);
      const next = startRunner(kind, 'stop');
      await until('the next run to end', FIRST_START_MS, next.isOver);

      expect(tracesOf(kept.pid).filter(isServer).length).toBeGreaterThanOrEqual(2);
      execFileSync('sh', ['-c', kept.said()], { stdio: 'ignore' });
      await untilGone(kept.pid);
    },
    2 * FIRST_START_MS,
  );
});

const testLocal = FOUND.local.works && KINDS.includes('local') ? test : test.skip;
testLocal(
  'what is left when a runner and its guardian are both killed is swept by the next local start',
  async () => {
    const killed = startRunner('local', 'stay');
    await until('the stack to be up', FIRST_START_MS, () => killed.said() !== '');
    const guardians = processesOf(killed.pid).filter((line) => line.includes('end-run.sh'));
    expect(guardians).toHaveLength(1);
    for (const line of guardians) process.kill(Number.parseInt(line, 10), 'SIGKILL');
    killed.kill();
    await until('the runner to end', GONE_MS, killed.isOver);
    expect(tracesOf(killed.pid).filter(isServer).length).toBeGreaterThanOrEqual(2);

    const next = startRunner('local', 'stop');
    await until('the next run to end', FIRST_START_MS, next.isOver);
    expect(next.said()).not.toBe('');
    await untilGone(killed.pid);
  },
  2 * FIRST_START_MS,
);
