/** An engine that is no Node program: it writes reports to a process and reads its answers, until one of them is killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import type { Answer, Report } from '../../producer/index.ts';
import type { Ground } from './faults-ground.ts';
import type { Mutant } from './faults-mutants.ts';
import { PROGRAM, REPOSITORY } from './processes.ts';
import { waitFor } from './wait-for.ts';

export interface Reporter {
  /** Undefined: it died before it answered. */
  tell(report: Report): Promise<Answer | undefined>;
  /** How many answers there were. */
  answers(): number;
  isRunning(): boolean;
  kill(signal: NodeJS.Signals): void;
  /** No more reports. */
  end(): void;
  /** Waits for the end; answers its exit code, null after a signal. */
  ended(): Promise<number | null>;
  stderr(): string;
}

export interface ReporterOptions {
  readonly outboxFile: string;
  readonly broker: string;
  /** The product itself unless given. */
  readonly mutant?: Mutant | undefined;
  /** Another tree's program. */
  readonly program?: string;
  /** How long it waits at its end for rows to go. */
  readonly drainMs?: number;
  readonly nodeArgs?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const ENGINE = join(REPOSITORY, 'test', 'support', 'faults-engine.ts');

export const startReporter = (ground: Ground, options: ReporterOptions): Reporter => {
  const { outboxFile, broker, mutant, program = PROGRAM, drainMs = 30_000, nodeArgs = [] } = options;
  const args = mutant === undefined ? [program, 'report', '--drain', `${drainMs}ms`] : [ENGINE, mutant];
  const child = spawn(process.execPath, [...nodeArgs, ...args], {
    cwd: ground.scene.folder,
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    env: {
      ...ground.scene.env,
      KAFKA_BROKERS: broker,
      SCHEMA_REGISTRY_URL: ground.registryUrl,
      SESSION_EVENTS_TOPIC: ground.topic,
      OUTBOX_FILE: outboxFile,
      FAULT_DRAIN_MS: String(drainMs),
      LOG_LEVEL: 'warn',
      ...options.env,
    },
  });
  const { stdin, stdout, stderr: said } = child;
  if (stdin === null || stdout === null || said === null) throw new Error('the reporter has no pipes');
  let stderr = '';
  let answers = 0;
  const waiting: ((answer: Answer | undefined) => void)[] = [];
  stdin.on('error', () => {});
  said.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  createInterface({ input: stdout }).on('line', (line) => {
    answers += 1;
    // A line cut by the killing is no answer; one that is whole was said.
    const answer = line.endsWith('}') ? (JSON.parse(line) as Answer) : undefined; // the documented shape of an answer
    waiting.shift()?.(answer);
  });
  const closed = once(child, 'close').then(() => {
    for (const give of waiting.splice(0)) give(undefined);
  });

  return {
    tell: (report) =>
      new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) {
          resolve(undefined);
          return;
        }
        waiting.push(resolve);
        stdin.write(`${JSON.stringify(report)}\n`);
      }),
    answers: () => answers,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    kill: (signal) => void child.kill(signal),
    end: () => void stdin.end(),
    ended: async () => {
      await waitFor(
        `the end of the reporter ${child.pid}`,
        () => child.exitCode !== null || child.signalCode !== null,
        { limitMs: 60_000, seen: () => stderr },
      );
      await closed;
      return child.exitCode;
    },
    stderr: () => stderr,
  };
};
