/**
 * `npm run fuzz`: marks wherever a model or an engine can put words, then a search of all that comes out. Ends with 1 when
 * a mark came out or one was not planted, or when a refusal's text is not one of the table.
 */
import { parseArgs } from 'node:util';
import { REFUSAL_CODES, refused } from '../../producer/index.ts';
import { openStack } from '../../stack/index.ts';
import { runFuzz } from '../support/canary-run.ts';
import { runStackFuzz } from '../support/canary-stack.ts';
import { isClean, summaryOf } from '../support/canary-summary.ts';
import type { Tally } from '../support/canary-tally.ts';

const { values } = parseArgs({
  options: {
    /** On the assembler's side. */
    calls: { type: 'string', default: '1000000' },
    /** Further calls that must all be refused. */
    refusals: { type: 'string', default: '1000000' },
    /** Through a real broker, registry and database; 0: no stack is opened. */
    'stack-calls': { type: 'string', default: '2000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  },
});
const seed = Number(values.seed);
const SAY_EVERY = 50_000;

const write = process.stderr.write.bind(process.stderr);
const say = (line: string): void => void write(`${line}\n`);
const progress = (what: string, of: number) => (done: number) => {
  if (done % SAY_EVERY === 0) say(`${what}: ${done} of ${of}`);
};

const tallies: Tally[] = [];
const keep = (title: string, itsSeed: number, tally: Tally): void => {
  tallies.push(tally);
  for (const line of summaryOf(title, itsSeed, tally)) process.stdout.write(`${line}\n`);
};

say(`--seed ${seed}`);
const calls = Number(values.calls);
if (calls > 0) keep('the assembler', seed, await runFuzz({ calls, seed, onProgress: progress('calls', calls) }));

const refusals = Number(values.refusals);
if (refusals > 0) {
  const onProgress = progress('refusals', refusals);
  keep('refusals', seed + 1, await runFuzz({ calls: refusals, seed: seed + 1, onlyRefused: true, onProgress }));
}

const stackCalls = Number(values['stack-calls']);
if (stackCalls > 0) {
  const stack = await openStack({ environment: process.env, say });
  try {
    process.env['TEST_KAFKA_BROKERS'] = stack.env.KAFKA_BROKERS;
    process.env['TEST_SCHEMA_REGISTRY_URL'] = stack.env.SCHEMA_REGISTRY_URL;
    keep(`the stack (${stack.kind})`, seed + 2, await runStackFuzz({ calls: stackCalls, seed: seed + 2 }));
  } finally {
    await stack.stop();
  }
}

const table = new Set(REFUSAL_CODES.map((code) => JSON.stringify(refused(code))));
const strays = tallies.flatMap(({ answers }) => [...answers].filter((answer) => !table.has(answer)));
for (const stray of strays) process.stdout.write(`no text of the table: ${stray}\n`);
process.exitCode = tallies.every(isClean) && strays.length === 0 ? 0 : 1;
