/** Both consumers as processes at the noisiest level, with all that they say: their logs, their health and metrics. */
import type { Surface } from './canary-surfaces.ts';
import type { RunningProcess } from './processes.ts';
import { caughtUp } from './stack-database.ts';
import type { Scene } from './stack-scene.ts';
import { endsOf } from './topics.ts';
import { freePort } from '../../stack/ports.ts';

const LIMIT_MS = 10_000;
const PAGES = ['/metrics', '/healthz', '/'] as const;

export interface NoisyConsumers {
  /** Resolves when both have read the topic to its end. */
  caughtUp(): Promise<void>;
  /** What they serve now. */
  pages(): Promise<readonly Surface[]>;
  /** Stops them; answers all that they printed. */
  stop(): Promise<readonly Surface[]>;
}

interface One {
  readonly consumer: 'sink' | 'graph';
  readonly port: number;
  readonly process: RunningProcess;
}

export const startConsumers = async (scene: Scene, env: Readonly<Record<string, string>>): Promise<NoisyConsumers> => {
  const both: One[] = [];
  for (const consumer of ['sink', 'graph'] as const) {
    const port = await freePort();
    const process = scene.start([consumer, '--group', scene.groups[consumer]], { ...env, HEALTH_PORT: String(port) });
    both.push({ consumer, port, process });
  }
  return {
    caughtUp: async () => {
      const ends = await endsOf(scene.topic);
      for (const { consumer, process } of both) await caughtUp(scene.databaseFile, consumer, ends, process.stderr);
    },
    pages: () =>
      Promise.all(
        both.flatMap(({ consumer, port }) =>
          PAGES.map(async (page) => {
            const answer = await fetch(`http://127.0.0.1:${port}${page}`, { signal: AbortSignal.timeout(LIMIT_MS) });
            return { name: `${page} of ${consumer}`, text: await answer.text() };
          }),
        ),
      ),
    stop: async () => {
      for (const { process } of both) process.kill('SIGTERM');
      return Promise.all(
        both.map(async ({ consumer, process }) => {
          const { code, stdout, stderr } = await process.ended();
          if (code !== 0) throw new Error(`the ${consumer} ended with ${code}: ${stderr}`);
          return { name: `log of ${consumer}`, text: stdout + stderr };
        }),
      );
    },
  };
};
