/** An engine that does nothing but report: `memory-engine.ts <outbox file> <reports>`. A line of resident bytes each tenth. */
import { createDeviationProducer } from '../producer/index.ts';
import { atOnce, CLOSE_MS, LIMITS, NOBODY, reporter } from './reports.ts';

const [outboxFile = '', reports = '10'] = process.argv.slice(2);
const producer = createDeviationProducer({
  agents: ['po'],
  kafka: NOBODY,
  registry: { url: 'http://127.0.0.1:1' },
  outboxFile,
  outboxLimits: LIMITS,
});
const report = reporter(producer);
for (let tenth = 0; tenth < 10; tenth += 1) {
  await atOnce(Number(reports) / 10, report);
  process.stdout.write(`${process.memoryUsage.rss()}\n`);
}
await producer.close(CLOSE_MS);
