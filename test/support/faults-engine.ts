/**
 * What `deviations report` is, with a mutant for a producer: `faults-engine.ts <mutant>`, settings by the environment. One
 * report a line on stdin, one answer a line on stdout; waits at the end until nothing waits.
 */
import { createInterface } from 'node:readline';
import { composeProducer, MUTANTS } from './faults-mutants.ts';

const {
  KAFKA_BROKERS = '',
  SCHEMA_REGISTRY_URL = '',
  SESSION_EVENTS_TOPIC = '',
  OUTBOX_FILE = '',
  FAULT_DRAIN_MS = '30000',
} = process.env;
const mutant = MUTANTS.find((one) => one === process.argv[2]) ?? 'none';
process.once('disconnect', () => process.exit(1));

const producer = composeProducer(mutant, {
  outboxFile: OUTBOX_FILE,
  broker: KAFKA_BROKERS,
  registryUrl: SCHEMA_REGISTRY_URL,
  topic: SESSION_EVENTS_TOPIC,
});
for await (const line of createInterface({ input: process.stdin })) {
  const answer = await producer.report(JSON.parse(line) as Parameters<typeof producer.report>[0]); // a report of the test
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
const waiting = await producer.flush(Number(FAULT_DRAIN_MS));
await producer.close(0);
process.exit(waiting === 0 ? 0 : 4);
