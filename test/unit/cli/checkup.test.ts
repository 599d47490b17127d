/** What `doctor` and `status` make of what they see; each line broken once. Real faults are in test/integration. */
import { describe, expect, test } from '@jest/globals';
import type { Check, Finding } from '../../../cli/checkup/check.ts';
import { exitCodeOf, runChecks } from '../../../cli/checkup/run.ts';
import type { Site } from '../../../cli/checkup/site.ts';
import { CHECKS } from '../../../cli/doctor/checks.ts';
import { PARTS } from '../../../cli/status/parts.ts';
import { StreamError } from '../../../wire/index.ts';
import {
  aCluster,
  aGroup,
  anInspector,
  aPosition,
  aReader,
  aRegistry,
  aSite,
  aTopic,
  ends,
  ENV,
  offsets,
  rejects,
} from '../../support/checkup-site.ts';

const examine = (site: Site): Promise<readonly Finding[]> =>
  runChecks(CHECKS, site, { settingsAreCheckedBy: 'configuration' });

const stateOf = (findings: readonly Finding[], name: string): string | undefined =>
  findings.find((one) => one.name === name)?.state;

const notWell = (findings: readonly Finding[]): readonly string[] =>
  findings.filter(({ state }) => state !== 'ok').map(({ name, state }) => `${name} ${state}`);

describe('a pipeline that is well', () => {
  test('has nothing wrong but what is not there', async () => {
    const findings = await examine(aSite());
    expect(notWell(findings)).toEqual(['agents skip', 'outbox skip']);
    expect(exitCodeOf(findings)).toBe(0);
  });

  test('is healthy, and nothing is unread', async () => {
    const findings = await runChecks(PARTS, aSite());
    expect(notWell(findings)).toEqual(['outbox skip']);
    expect(findings.find(({ name }) => name === 'sink')?.facts).toEqual({
      'sink.group': 'session-events-sink',
      'sink.groupState': 'Stable',
      'sink.members': 1,
      'sink.lagRecords': 0,
      'sink.lagSeconds': 0,
      'sink.positionsLost': 0,
      'sink.commitsAhead': 0,
    });
  });
});

const broken = (site: Partial<Site>, env?: Readonly<Record<string, string>>): Site => aSite(site, env);
const topicWith = (settings: Readonly<Record<string, string>>, replication?: number): Partial<Site> => ({
  topic: () => Promise.resolve(aTopic(settings, replication)),
});
const GRAPHS = [aPosition('graph', 0, 12), aPosition('graph', 1, 20)];

test.each<[string, Site, string, number, RegExp]>([
  ['no broker is set', broken({}, { ...ENV, KAFKA_BROKERS: '' }), 'configuration', 3, /KAFKA_BROKERS/],
  ['a setting is wrong', broken({}, { ...ENV, LOG_LEVEL: 'loud' }), 'configuration', 3, /LOG_LEVEL.*debug, info/],
  ['the broker is away', broken({ cluster: rejects('BROKER_UNREACHABLE') }), 'broker', 4, /does not answer/],
  ['there is no topic', broken({ topic: rejects('TOPIC_MISSING') }), 'topic', 4, /does not exist/],
  ['the senders’ clock', broken(topicWith({ 'message.timestamp.type': 'CreateTime' })), 'topic-time', 3, /CreateTime/],
  ['one in-sync replica of three', broken(topicWith({ 'min.insync.replicas': '1' })), 'topic-replicas', 3, /1 of 3/],
  [
    'an unclean election',
    broken(topicWith({ 'unclean.leader.election.enable': 'true' })),
    'topic-election',
    3,
    /kafka-configs\.sh .*--add-config unclean\.leader\.election\.enable=false/,
  ],
  ['compaction', broken(topicWith({ 'cleanup.policy': 'compact,delete' })), 'topic-cleanup', 3, /compact,delete/],
  [
    'the registry is away',
    broken({ registry: () => Promise.resolve(aRegistry({ hasSubject: rejects('REGISTRY_UNREACHABLE') })) }),
    'registry',
    4,
    /does not answer/,
  ],
  [
    'nothing is registered',
    broken({
      registry: () =>
        Promise.resolve(
          aRegistry({ idOfText: () => Promise.resolve(undefined), hasSubject: () => Promise.resolve(false) }),
        ),
    }),
    'subjects',
    4,
    /deviations schema register/,
  ],
  [
    'another contract is registered',
    broken({ registry: () => Promise.resolve(aRegistry({ idOfText: () => Promise.resolve(undefined) })) }),
    'subjects',
    3,
    /other texts/,
  ],
  [
    'the level is NONE',
    broken({ registry: () => Promise.resolve(aRegistry({ level: () => Promise.resolve('NONE') })) }),
    'versions',
    3,
    /level-differs/,
  ],
  ['the database is away', broken({ inspector: rejects('DATABASE_UNREACHABLE') }), 'database', 4, /cannot be opened/],
  [
    'the tables are older',
    broken({
      inspector: () => Promise.resolve(anInspector({ versions: () => Promise.resolve({ has: 0, wants: 1 }) })),
    }),
    'migrations',
    4,
    /0 of 1.*deviations migrate/,
  ],
  [
    'a key is gone',
    broken({ inspector: () => Promise.resolve(anInspector({ requireKeys: rejects('CONTRACT_MISMATCH') })) }),
    'keys',
    3,
    /CONTRACT_MISMATCH/,
  ],
  [
    'the sink is not running',
    broken({ group: (one) => Promise.resolve(aGroup(one, { members: one === 'sink' ? 0 : 1, state: 'Empty' })) }),
    'sink',
    4,
    /deviations sink/,
  ],
  [
    'something else is in the group of the graph',
    broken({ group: (one) => Promise.resolve(aGroup(one, one === 'graph' ? { assigner: 'range' } : {})) }),
    'graph',
    3,
    /--group NAME/,
  ],
  [
    'the position is behind the log’s end',
    broken({
      committed: () => Promise.resolve(offsets()),
      positions: () =>
        Promise.resolve([aPosition('graph', 0, 10), aPosition('graph', 1, 20), aPosition('sink', 1, 21)]),
    }),
    'sink-position',
    5,
    /ends at offset 20.*position adopt --consumer sink --partition 1/,
  ],
  [
    'retention passed the position',
    broken({
      ends: () => Promise.resolve(ends([11, 15], [0, 20])),
      positions: () => Promise.resolve([...GRAPHS, aPosition('sink', 0, 10), aPosition('sink', 1, 20)]),
    }),
    'sink-position',
    5,
    /starts at offset 11.*--why retention/,
  ],
  [
    'the group has committed more than is read',
    broken({
      committed: (one) => Promise.resolve(one === 'graph' ? offsets(10, 21) : offsets(10, 20)),
      ends: () => Promise.resolve(ends([0, 15], [0, 21])),
    }),
    'graph-position',
    5,
    /committed more.*partition 1/,
  ],
  [
    'quarantine is open',
    broken({
      reader: () =>
        Promise.resolve(
          aReader({
            openQuarantine: () => Promise.resolve([{ consumer: 'sink', reason: 'NOT_FRAMED', count: 3 }]),
          }),
        ),
    }),
    'quarantine',
    5,
    /sink NOT_FRAMED 3.*deviations quarantine list/,
  ],
  [
    'this clock is behind the database’s',
    broken({ aheadOfDatabaseMs: () => Promise.resolve(-60_000) }),
    'clock',
    3,
    /60 s behind the database/,
  ],
  [
    'this clock is behind the broker’s',
    broken({ cluster: () => Promise.resolve(aCluster({ offsetsAt: () => Promise.resolve(offsets(10, 19)) })) }),
    'clock',
    3,
    /behind the broker/,
  ],
  [
    'an outbox that was named is not there',
    broken({}, { ...ENV, OUTBOX_FILE: '/nowhere/outbox.db' }),
    'outbox',
    4,
    /no outbox/,
  ],
])('doctor, when %s', async (_, site, name, exitCode, says) => {
  const findings = await examine(site);
  const failed = findings.filter(({ state }) => state === 'FAIL');
  expect(failed.map((one) => one.name)).toEqual([name]);
  expect(`${failed[0]?.says} ${failed[0]?.next}`).toMatch(says);
  expect(exitCodeOf(findings)).toBe(exitCode);
});

test('a check whose need failed is skipped and names it; the others go on', async () => {
  const findings = await examine(broken({ cluster: rejects('BROKER_UNREACHABLE') }));
  expect(findings.find(({ name }) => name === 'topic')?.says).toBe('needs broker');
  expect(findings.find(({ name }) => name === 'topic-time')?.says).toBe('needs topic');
  expect(stateOf(findings, 'versions')).toBe('ok');
  expect(stateOf(findings, 'keys')).toBe('ok');
});

test('a setting without a default that is absent is a skip, of what needs it alone', async () => {
  const config = aSite({}, { KAFKA_BROKERS: 'kafka:9092' }).config;
  const findings = await examine(aSite({ config, registry: () => Promise.reject(missing(config)) }));
  expect(findings.find(({ name }) => name === 'registry')).toMatchObject({
    state: 'skip',
    says: 'SCHEMA_REGISTRY_URL is not set',
  });
  expect(exitCodeOf(findings)).toBe(0);
});

const missing = (config: Site['config']): unknown => {
  try {
    return config.registry();
  } catch (error) {
    return error;
  }
};

test('a setting that only its user can judge is the FAIL of that check', async () => {
  const invalid = rejects('CONFIG_INVALID');
  const findings = await examine(aSite({ inspector: invalid, positions: invalid, reader: invalid }));
  expect(findings.filter(({ state }) => state === 'FAIL').map(({ name, code }) => `${name} ${code}`)).toEqual([
    'database CONFIG_INVALID',
  ]);
  expect(exitCodeOf(findings)).toBe(3);
});

test.each([
  [['DATA_PROBLEM', 'BROKER_UNREACHABLE', 'CONFIG_INVALID'], 3],
  [['HALTED', 'CONSUMER_AWAY'], 4],
  [['DATA_PROBLEM'], 5],
  [['UNEXPECTED'], 1],
  [['UNEXPECTED', 'HALTED'], 5],
  [[], 0],
] as const)('of the findings %j the exit code is %i', async (codes, exitCode) => {
  const checks = codes.map(
    (code): Check => ({
      name: code,
      asks: 'files',
      look: () => Promise.reject(new StreamError(code, 'x', 'x')),
    }),
  );
  expect(exitCodeOf(await runChecks(checks, aSite()))).toBe(exitCode);
});

test('what a check throws that nobody expected is a FAIL without its words', async () => {
  const [finding] = await runChecks(
    [{ name: 'one', asks: 'files', look: () => Promise.reject(new TypeError('a value from outside')) }],
    aSite(),
  );
  expect(finding).toMatchObject({ state: 'FAIL', code: 'UNEXPECTED', says: 'unexpected (TypeError)' });
});

describe('status', () => {
  const lagging = {
    ends: () => Promise.resolve(ends([0, 13], [0, 21])),
    group: () => Promise.resolve(aGroup('sink', { members: 0, state: 'Empty' })),
  };

  test('knows the lag of a consumer that does not run', async () => {
    const findings = await runChecks(PARTS, broken(lagging));
    expect(findings.find(({ name }) => name === 'sink')).toMatchObject({
      state: 'FAIL',
      code: 'CONSUMER_AWAY',
      says: 'no member in group session-events-sink; 4 records unread, the oldest for 95 s',
      facts: { 'sink.lagRecords': 4, 'sink.lagSeconds': 95, 'sink.members': 0 },
    });
  });

  test('knows the members of a consumer whose database is away, and says what it does not know', async () => {
    const away = { positions: rejects('DATABASE_UNREACHABLE'), inspector: rejects('DATABASE_UNREACHABLE') };
    const findings = await runChecks(PARTS, broken(away));
    expect(findings.map(({ name, state }) => `${name} ${state}`)).toEqual([
      'outbox skip',
      'topic ok',
      'database FAIL',
      'sink ok',
      'graph ok',
      'quarantine skip',
      'losses skip',
      'last skip',
    ]);
    expect(findings.find(({ name }) => name === 'sink')?.facts).toMatchObject({
      'sink.members': 1,
      'sink.lagRecords': null,
      'sink.lagSeconds': null,
    });
  });

  test('has the same facts whatever is away', async () => {
    const names = (findings: readonly Finding[]): readonly string[] =>
      findings.flatMap(({ facts }) => Object.keys(facts ?? {}));
    const away = {
      cluster: rejects('BROKER_UNREACHABLE'),
      ends: rejects('BROKER_UNREACHABLE'),
      group: rejects('BROKER_UNREACHABLE'),
      committed: rejects('BROKER_UNREACHABLE'),
      positions: rejects('DATABASE_UNREACHABLE'),
      inspector: rejects('DATABASE_UNREACHABLE'),
      reader: rejects('DATABASE_UNREACHABLE'),
    };
    const known = names(await runChecks(PARTS, aSite()));
    expect(known.length).toBeGreaterThan(25);
    expect(names(await runChecks(PARTS, broken(away)))).toEqual(known);
  });

  test('of a graph that never ran says so, and is healthy without it', async () => {
    const never = {
      group: (one: string) => Promise.resolve(one === 'graph' ? undefined : aGroup('sink')),
      positions: () => Promise.resolve([aPosition('sink', 0, 10), aPosition('sink', 1, 20)]),
      committed: (one: string) => Promise.resolve(one === 'graph' ? offsets() : offsets(10, 20)),
    };
    const findings = await runChecks(PARTS, broken(never));
    expect(stateOf(findings, 'graph')).toBe('skip');
    expect(exitCodeOf(findings)).toBe(0);
  });

  test('shows a halt before the member that it cost', async () => {
    const halted = { ...lagging, ends: () => Promise.resolve(ends([11, 15], [0, 20])) };
    const findings = await runChecks(PARTS, broken(halted));
    expect(findings.find(({ name }) => name === 'sink')).toMatchObject({
      code: 'HALTED',
      facts: { 'sink.lagRecords': 4, 'sink.positionsLost': 1 },
    });
    expect(exitCodeOf(findings)).toBe(5);
  });
});
