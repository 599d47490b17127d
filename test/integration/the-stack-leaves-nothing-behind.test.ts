import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { lookForDocker } from '../../stack/docker/engine.ts';
import { RUNS } from '../../stack/folders.ts';
import type { StartedKind } from '../../stack/index.ts';
import { lookForLocal } from '../../stack/local/look.ts';
import { waitUntil } from '../../stack/wait.ts';

const FOUND = { docker: await lookForDocker(process.env, () => {}), local: await lookForLocal(process.env) };
const KINDS = ['docker', 'local'] as const satisfies readonly StartedKind[];

/** Ten minutes, because a first start may have to download the servers. */
const FIRST_START_MS = 600_000;
const GONE_MS = 20_000;

const PROGRAM = `
  const { openStack } = await import(process.argv[1]);
  const stack = await openStack({ environment: process.env, say: () => {}, keep: process.argv[2] === 'keep' });
  process.stdout.write(stack.howToStop + '\\n');
  if (process.argv[2] === 'stay') setInterval(() => {}, 1000);
  if (process.argv[2] === 'stop') await stack.stop();
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

/** A process of its own that opens a stack and then stays, stops it, or ends and keeps it. */
const startRunner = (kind: StartedKind, then: 'stay' | 'stop' | 'keep'): Runner => {
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
  ...(FOUND.local.works ? readdirSync(RUNS).filter((name) => name.startsWith(`${pid}-`)) : []),
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
    'a runner that is killed while its servers start leaves nothing, and the next run starts and ends cleanly',
    async () => {
      const killed = startRunner(kind, 'stay');
      await until('a first server', FIRST_START_MS, () => tracesOf(killed.pid).some(isServer));
      expect(killed.said()).toBe('');
      killed.kill();
      await untilGone(killed.pid);

      const next = startRunner(kind, 'stop');
      await until('the next run to end', FIRST_START_MS, next.isOver);
      expect(next.said()).not.toBe('');
      await untilGone(next.pid);
    },
    2 * FIRST_START_MS,
  );

  testIt(
    'a runner that is killed when its servers are up leaves nothing',
    async () => {
      const killed = startRunner(kind, 'stay');
      await until('the stack to be up', FIRST_START_MS, () => killed.said() !== '');
      expect(tracesOf(killed.pid).filter(isServer).length).toBeGreaterThanOrEqual(2);
      killed.kill();
      await untilGone(killed.pid);
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

const testLocal = FOUND.local.works ? test : test.skip;
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
