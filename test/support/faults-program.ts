/**
 * An engine in small, to be looked at from outside: `faults-program.ts <how> <outbox file> [broker]`. Prints, at the end of
 * its own work, how many listeners it left behind; and anything that went unhandled, at any time. Ends by itself, or not.
 */
import { createRequire } from 'node:module';
import { createDeviationProducer } from '../../producer/index.ts';

const [how = '', outboxFile = '', broker = '127.0.0.1:1'] = process.argv.slice(2);

const say = (line: string): void => void process.stdout.write(`${line}\n`);
process.on('unhandledRejection', () => say('an unhandled rejection'));
process.on('uncaughtExceptionMonitor', () => say('an uncaught exception'));
process.on('warning', ({ name }) => say(`a warning: ${name}`));

const listeners = (): number => process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
const before = listeners();

const open = () =>
  createDeviationProducer({
    agents: ['revisor'],
    kafka: { brokers: [broker] },
    registry: { url: 'http://127.0.0.1:1' },
    outboxFile,
  });
const report = (n: number) => ({
  context: {
    sessionId: 'a1b2c3d4-0000-4000-8000-00000000000a',
    projectId: 'a1b2c3d4-0000-4000-8000-00000000000b',
    toolCallId: `call_${n}`,
  },
  input: { agente: 'revisor', tipo: 'laco' },
});

switch (how) {
  case 'open-only':
    open();
    break;
  case 'open-close':
    say(`${await open().close(1_000)} still wait`);
    break;
  case 'report-close': {
    const producer = open();
    await Promise.all([1, 2, 3].map((n) => producer.report(report(n))));
    say(`${await producer.close(300)} still wait`);
    break;
  }
  case 'report-leave': {
    const producer = open();
    const answers = await Promise.all([1, 2, 3].map((n) => producer.report(report(n))));
    say(`${answers.filter(({ recorded }) => recorded).length} recorded`);
    break;
  }
  case 'packages': {
    const producer = open();
    await producer.report(report(1));
    await producer.close(300);
    const loaded = Object.keys(createRequire(import.meta.url).cache);
    for (const name of ['avsc', 'kafkajs', '@kafkajs', 'snappy', 'lz4-napi']) {
      if (loaded.some((file) => file.includes(`node_modules/${name}/`))) say(name);
    }
    break;
  }
  case 'refused-leave': {
    const producer = open();
    await producer.report({ ...report(1), input: 'nonsense' });
    break;
  }
  case 'flush-leave': {
    const producer = open();
    await producer.report(report(1));
    say(`${await producer.flush(200)} still wait`);
    break;
  }
  case 'many':
    for (let round = 0; round < 8; round += 1) {
      const producer = open();
      await producer.report(report(round));
      await producer.close(200);
    }
    break;
  default:
    throw new TypeError(`no way named ${how}`);
}
say(`${listeners() - before} listeners left`);
