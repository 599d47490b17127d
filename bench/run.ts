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

const USAGE = `npm run bench -- <question> [part …] [--events N] [--reports N]

Questions: ${Object.keys(QUESTIONS).join(', ')}; their parts are in docs/speed.md`;

const say = (line: string): void => void process.stderr.write(`${line}\n`);

const refuse = (): never => {
  say(USAGE);
  process.exit(2);
};

const given = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        reports: { type: 'string', default: '1000000' },
        events: { type: 'string', default: '1000000' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch {
    return refuse();
  }
};

const { values, positionals } = given();
if (values.help) {
  process.stdout.write(`${USAGE}\n`);
  process.exit(0);
}
const [asked = '', ...parts] = positionals;
const question = Object.hasOwn(QUESTIONS, asked) ? QUESTIONS[asked as keyof typeof QUESTIONS] : refuse();

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
