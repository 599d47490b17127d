import type { Finding, PartitionSums } from '../../consumer/index.ts';
import type { Cli } from '../command.ts';
import { Command, configOf, logOf, withSettings } from '../command.ts';
import { writeLine } from '../io.ts';
import { pointInTime } from '../lists.ts';
import { type Column, type Format, formatFor, formatOption, type Listing, print } from '../output/format.ts';
import { DATABASE_SETTINGS, KAFKA_SETTINGS, REGISTRY_SETTINGS } from '../settings.ts';

interface VerifyFlags {
  readonly since?: number;
  readonly output?: Format;
}

/** More are counted, and not listed. */
const MAX_LISTED = 10_000;
/** How often progress is said, in milliseconds. */
const SAY_EVERY_MS = 2_000;

const sum = (
  heading: string,
  of: (sums: PartitionSums) => number | bigint,
  spared?: number,
): Column<PartitionSums> => ({
  heading,
  of: (sums) => String(of(sums)),
  isNumber: true,
  isWhole: true,
  ...(spared === undefined ? {} : { spared }),
});

const problem = (name: 'missing' | 'doubled' | 'wrong' | 'lost'): Column<PartitionSums> => ({
  ...sum(name, (sums) => sums[name]),
  brush: (sums) => (sums[name] > 0 ? 'red' : 'none'),
});

const PARTITION_COLUMNS: readonly Column<PartitionSums>[] = [
  { heading: 'partition', of: ({ partition }) => String(partition), isNumber: true },
  { heading: 'offsets', of: ({ from, to }) => `${from}-${to}`, isWhole: true, spared: 8 },
  sum('records', ({ records }) => records, 5),
  sum('stored', ({ stored }) => stored, 3),
  sum('repeated', ({ duplicate }) => duplicate, 6),
  sum('others', ({ filtered }) => filtered, 7),
  sum('quarantined', ({ quarantined }) => quarantined, 4),
  sum('givenUp', ({ givenUp }) => givenUp, 9),
  problem('missing'),
  problem('doubled'),
  problem('wrong'),
  problem('lost'),
  sum('unread', ({ unread }) => unread, 2),
  sum('rowsBefore', ({ rowsBefore }) => rowsBefore, 10),
];

const FINDING_COLUMNS: readonly Column<Finding>[] = [
  { heading: 'problem', of: ({ problem: word }) => word, brush: () => 'red' },
  { heading: 'place', of: ({ partition, offset }) => `${partition}/${offset}`, isWhole: true },
  { heading: 'eventId', of: ({ eventId }) => eventId ?? '-', isWhole: true, spared: 1 },
  { heading: 'detail', of: ({ detail }) => detail, isWhole: true },
];

const partitionJson = (topic: string) => (sums: PartitionSums) => ({
  kind: 'partition',
  topic,
  partition: sums.partition,
  from: Number(sums.from),
  to: Number(sums.to),
  records: sums.records,
  stored: sums.stored,
  repeated: sums.duplicate,
  others: sums.filtered,
  quarantined: sums.quarantined,
  givenUp: sums.givenUp,
  missing: sums.missing,
  doubled: sums.doubled,
  wrong: sums.wrong,
  lost: sums.lost,
  unread: Number(sums.unread),
  rowsBefore: sums.rowsBefore,
});

const findingJson = (topic: string) => (finding: Finding) => ({
  kind: 'finding',
  topic,
  problem: finding.problem,
  partition: finding.partition,
  offset: Number(finding.offset),
  eventId: finding.eventId,
  detail: finding.detail,
});

const printAll = async (
  topic: string,
  sums: readonly PartitionSums[],
  findings: readonly Finding[],
  cli: Cli,
  asked: Format | undefined,
): Promise<void> => {
  const partitions: Listing<PartitionSums> = {
    records: sums,
    columns: PARTITION_COLUMNS,
    toJson: partitionJson(topic),
  };
  const found: Listing<Finding> = { records: findings, columns: FINDING_COLUMNS, toJson: findingJson(topic) };
  const format = formatFor(asked, cli.screen);
  if (format === 'json') {
    const all = [...sums.map(partitions.toJson), ...findings.map(found.toJson)];
    await print({ records: all, columns: [], toJson: (one) => one }, cli.screen, format);
    return;
  }
  await print(partitions, cli.screen, format);
  if (findings.length === 0) return;
  if (format === 'table') await cli.screen.print('');
  await print(found, cli.screen, format);
};

const total = (sums: readonly PartitionSums[], of: (one: PartitionSums) => number | bigint): bigint =>
  sums.reduce((all, one) => all + BigInt(of(one)), 0n);

const verdict = (sums: readonly PartitionSums[], foundCount: number): string => {
  const records = total(sums, (one) => one.records);
  const unread = total(sums, (one) => one.unread);
  const rest = unread === 0n ? '' : `; ${unread} offsets behind them are not read by the sink yet`;
  return foundCount === 0
    ? `all of ${records} records are accounted for${rest}`
    : `${foundCount} of ${records} records or rows are not as they must be${rest}`;
};

export const verifyCommand = (cli: Cli): Command => {
  const command = withSettings(new Command('verify'), [
    ...DATABASE_SETTINGS,
    ...KAFKA_SETTINGS,
    ...REGISTRY_SETTINGS,
    'SESSION_EVENTS_TOPIC',
    'AGENTS_FILE',
    'LOG_LEVEL',
  ])
    .description('did every event that the sink has read arrive exactly once: the topic against table and quarantine')
    .option(
      '--since <time>',
      'records that arrived then or later: 2h, yesterday, a date, RFC 3339, @epoch',
      pointInTime,
    )
    .addOption(formatOption());

  return command.action(async (flags: VerifyFlags) => {
    await cli.endsItself(
      (async () => {
        const config = configOf(command, cli);
        const topic = config.topic();
        const [consumers, { createRegistry, createSchemaLookup }] = await Promise.all([
          import('../../consumer/index.ts'),
          import('../../wire/index.ts'),
        ]);
        const say = (text: string): void => void writeLine(cli.io.stderr, `deviations: ${text}`);
        let saidMs = performance.now();
        const reader = consumers.openReader(config.database());
        const findings: Finding[] = [];
        let foundCount = 0;
        let sums: readonly PartitionSums[] = [];
        try {
          const checking = consumers.verify({
            kafka: config.kafka(),
            topic,
            log: await logOf(config, cli),
            reader,
            lookup: createSchemaLookup(createRegistry(config.registry())),
            judge: consumers.createSinkJudge({ agents: config.agentsIfAny() }),
            sinceMs: flags.since,
            signal: cli.io.stop,
            onWait: (code) => say(`no answer (${code}), waits for it`),
            onProgress: (done, all) => {
              if (performance.now() - saidMs < SAY_EVERY_MS) return;
              saidMs = performance.now();
              say(`${done} of ${all} offsets compared`);
            },
          });
          for (let step = await checking.next(); ; step = await checking.next()) {
            if (step.done === true) {
              sums = step.value;
              break;
            }
            foundCount += 1;
            if (findings.length < MAX_LISTED) findings.push(step.value);
          }
        } finally {
          await reader.close();
        }
        if (cli.io.stop.aborted) {
          say('stopped before all was compared');
          return 143;
        }
        await printAll(topic, sums, findings, cli, flags.output);
        if (foundCount > findings.length) say(`only the first ${MAX_LISTED} findings are listed`);
        say(verdict(sums, foundCount));
        return foundCount > 0 ? 5 : 0;
      })(),
    );
  });
};
