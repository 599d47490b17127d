/** What a producer keeps in memory over many reports: a question of its own, so that nothing else counts in. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDeviationProducer } from '../producer/index.ts';
import { type Figure, megabytes } from './figures.ts';
import { atOnce, type BenchOptions, CLOSE_MS, LIMITS, NOBODY, reporter } from './reports.ts';

export const benchMemory = async ({ reports, say }: BenchOptions): Promise<readonly Figure[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const producer = createDeviationProducer({
    agents: ['po'],
    kafka: NOBODY,
    registry: { url: 'http://127.0.0.1:1' },
    outboxFile: join(folder, 'memory.db'),
    outboxLimits: LIMITS,
  });
  const report = reporter(producer);
  let most = 0;
  const tenth = Math.max(1, Math.floor(reports / 10));
  for (let done = 0; done < reports; done += tenth) {
    await atOnce(tenth, report);
    most = Math.max(most, process.memoryUsage.rss());
    say(`${done + tenth} reports, ${megabytes(process.memoryUsage.rss())} resident`);
  }
  await producer.close(CLOSE_MS);
  rmSync(folder, { recursive: true, force: true });
  return [
    {
      what: `resident over ${reports.toLocaleString('en')} reports, the outbox growing`,
      ours: megabytes(most),
      beside: '',
      target: '<= 150 MB',
      isMet: most <= 150 * 1_048_576,
    },
  ];
};
