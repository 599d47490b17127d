/** `npm run bench -- <question> [part …] [--reports N] [--events N]`: one question a file; each prints its floor and its peer beside it. */
import { parseArgs } from 'node:util';
import { openStack } from '../stack/index.ts';
import { benchCli } from './cli.ts';
import { renderFigures } from './figures.ts';
import { benchIdle } from './idle.ts';
import { benchMemory } from './memory.ts';
import { benchProducer } from './producer.ts';
import { benchQuery } from './query.ts';
import { benchSink } from './sink.ts';

const QUESTIONS = {
  producer: benchProducer,
  memory: benchMemory,
  query: benchQuery,
  sink: benchSink,
  cli: benchCli,
  idle: benchIdle,
} as const;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { reports: { type: 'string', default: '1000000' }, events: { type: 'string', default: '1000000' } },
});

const [asked = '', ...parts] = positionals;
const say = (line: string): void => void process.stderr.write(`${line}\n`);
const question = Object.hasOwn(QUESTIONS, asked) ? QUESTIONS[asked as keyof typeof QUESTIONS] : undefined;
if (question === undefined) {
  say(`give one of: ${Object.keys(QUESTIONS).join(', ')}`);
  process.exit(2);
}

/** A stack beside it would only be noise for what needs none. */
const NO_STACK = { env: { KAFKA_BROKERS: '', SCHEMA_REGISTRY_URL: '' }, stop: () => Promise.resolve() };

const stack = asked === 'cli' ? NO_STACK : await openStack({ environment: process.env, say });
try {
  const counts = { reports: Number(values.reports), events: Number(values.events) };
  const figures = await question({ env: stack.env, ...counts, parts, say });
  process.stdout.write(`${renderFigures(figures)}\n`);
} finally {
  await stack.stop();
}
process.exit(0);
