/** `npm run faults -- --seeds N [--only name]… [--away SECONDS]`: every fault, or some, with so many seeds; tables of what came out at the end. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { linesOf, REPOSITORY } from './processes.ts';
import type { Tally } from './faults-tries.ts';

/** By the name that `--only` takes. */
const FAULTS = {
  'broker-killed': 'a-killed-broker-loses-nothing-under-load',
  'broker-answers-lost': 'lost-answers-of-the-broker-lose-and-double-nothing',
  'broker-away-outbox-full': 'a-full-outbox-refuses-and-drops-nothing',
  'report-killed': 'a-killed-report-delivers-everything-once-when-it-runs-again',
  'relay-stopped': 'a-stopped-relay-keeps-its-lease',
  'clock-set-back': 'a-clock-set-back-loses-and-disorders-nothing',
  'disk-full-before-append': 'a-full-disk-before-the-append-loses-and-invents-nothing',
  'disk-full-after-acknowledgement': 'a-full-disk-after-the-acknowledgement-sends-nothing-twice',
  upgrade: 'rows-of-an-older-schema-survive-an-upgrade',
  'sink-killed': 'a-sink-killed-at-any-moment-leaves-no-double-and-no-gap',
  'sink-frozen': 'a-frozen-sink-writes-nothing-when-it-thaws',
  rebalance: 'sinks-come-and-go-and-nothing-is-read-twice',
  'topic-recreated': 'a-topic-made-anew-halts-the-sink',
  'retention-passed': 'records-deleted-before-they-were-read-halt-the-sink',
  'database-restored': 'a-database-restored-to-an-older-state-catches-up',
  poison: 'poison-is-set-aside-until-it-is-too-much',
  'broker-restarted': 'a-broker-restarted-five-times-costs-nothing',
  'commit-answer-lost': 'a-lost-answer-to-a-commit-is-no-double-and-no-gap',
  'database-restarted': 'a-restarted-database-costs-nothing',
  outage: 'an-outage-of-any-length-ends-by-itself',
} as const;
type FaultName = keyof typeof FAULTS;

const isFault = (name: string): name is FaultName => Object.hasOwn(FAULTS, name);

const fail = (message: string): never => {
  process.stderr.write(`${message}\n`);
  process.exit(2);
};

const USAGE = `npm run faults -- [--seeds N] [--only NAME]... [--away SECONDS]

  --seeds N        how many seeds of each; 10 unless given
  --only NAME      this fault and no other; may come several times
  --away SECONDS   how long an outage lasts; 30 unless given

Faults: ${Object.keys(FAULTS).join(', ')}`;

const given = () => {
  try {
    return parseArgs({
      options: {
        seeds: { type: 'string', default: '10' },
        only: { type: 'string', multiple: true },
        away: { type: 'string', default: '30' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch {
    return fail(`there is an option that is not known, or has no value\n\n${USAGE}`);
  }
};

const values = given();
if (values.help) {
  process.stdout.write(`${USAGE}\n`);
  process.exit(0);
}
const { seeds, away, only = Object.keys(FAULTS) } = values;
if (!/^[1-9]\d{0,4}$/.test(seeds)) fail('give --seeds a whole number from 1 on');
if (!/^[1-9]\d{0,4}$/.test(away)) fail('give --away the seconds that an outage lasts');
for (const name of only)
  if (!isFault(name)) fail(`there is no fault ${name}; there are: ${Object.keys(FAULTS).join(', ')}`);

const folder = mkdtempSync(join(tmpdir(), 'faults-'));
const summary = join(folder, 'summary.ndjson');
const files = only.filter(isFault).map((name) => `test/faults/${FAULTS[name]}`);
const jest = spawn(
  process.execPath,
  [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    join(REPOSITORY, 'node_modules/jest/bin/jest.js'),
    ...files,
    '--selectProjects',
    'integration',
  ],
  {
    cwd: REPOSITORY,
    stdio: 'inherit',
    env: { ...process.env, FAULT_SEEDS: seeds, FAULT_SUMMARY: summary, FAULT_AWAY_SECONDS: away },
  },
);
const [code] = (await once(jest, 'exit')) as [number | null]; // its documented shape

type Line = Tally & { readonly name: string; readonly seconds: number };
const lines = existsSync(summary)
  ? linesOf(readFileSync(summary, 'utf8')).map((line) => JSON.parse(line) as Line) // written by faults-tries.ts
  : [];
/** The faults of the producer and of the consumers are counted in other words. */
const tables = Map.groupBy(lines, (line) => Object.keys(line).join(' '));
for (const table of tables.values()) {
  const columns = Object.keys(table[0] ?? {});
  for (const cells of [columns, ...table.map((line) => columns.map((column) => line[column]))]) {
    const padded = cells.map((cell, index) => (index === 0 ? String(cell).padEnd(32) : String(cell).padStart(12)));
    process.stdout.write(`${padded.join('')}\n`);
  }
}
rmSync(folder, { recursive: true, force: true });
process.exit(code ?? 1);
