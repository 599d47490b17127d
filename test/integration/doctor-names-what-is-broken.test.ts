/** Each fault on the real stack is one FAIL with what to do about it, within its limit, and looking leaves no trace. */
import { copyFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { loadSchemaText } from '../../schemas/index.ts';
import { deviations, linesOf, PROGRAM, REPOSITORY, startDeviations, startNode } from '../support/processes.ts';
import { openRegistryStub, type RegistryStub, type StubAnswer, type StubRequest } from '../support/registry-stub.ts';
import { runCli } from '../support/run-cli.ts';
import { caughtUp } from '../support/stack-database.ts';
import { deviationsFrom, recordsOf } from '../support/stack-events.ts';
import { enterScene, type Scene } from '../support/stack-scene.ts';
import { asAdmin, committedOf, endsOf, foreignKafka } from '../support/topics.ts';

interface Line {
  readonly check: string;
  readonly state: string;
  readonly says: string;
  readonly next: string | null;
  readonly code: string | null;
}

interface Examined {
  readonly exitCode: number | null;
  readonly lines: readonly Line[];
}

const EVENTS = 40;
/** Less than any of the clients gives itself, and enough for a process to start on a busy machine. */
const GIVEN_UP_MS = 20_000;
const AGENT_DEVIATION = 'anamnese.agent_deviation';

let scene: Scene;
/** Takes connections and never says a word. */
let silent: Server;
let mute: string;
/** Nobody listens there. */
let closed: string;

const listening = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return `127.0.0.1:${address.port}`;
};

const groupFlags = (): readonly string[] => ['--sink-group', scene.groups.sink, '--graph-group', scene.groups.graph];

const examined = (exitCode: number | null, stdout: string): Examined => ({
  exitCode,
  lines: linesOf(stdout).map((line) => JSON.parse(line) as Line), // by `-o ndjson`
});

const doctor = async (flags: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<Examined> => {
  const ran = await runCli(['doctor', '-o', 'ndjson', ...groupFlags(), ...flags], { env: { ...scene.env, ...env } });
  return examined(ran.exitCode, ran.stdout);
};

/** In a process of its own: what hangs there ends with it. */
const doctorApart = async (flags: readonly string[], limitMs?: number): Promise<Examined> => {
  const args = ['doctor', '-o', 'ndjson', ...groupFlags(), ...flags];
  const { code, stdout } = await startDeviations(args, { env: scene.env, cwd: scene.folder }).ended(limitMs);
  return examined(code, stdout);
};

const failures = ({ lines }: Examined): readonly string[] =>
  lines.filter(({ state }) => state === 'FAIL').map(({ check, code }) => `${check} ${code}`);

const line = ({ lines }: Examined, check: string): Line => {
  const found = lines.find((one) => one.check === check);
  if (found === undefined) throw new Error(`no line for ${check}`);
  return found;
};

/** A copy of the database, changed by hand. */
const changed = (name: string, sql: string): readonly string[] => {
  const file = join(scene.folder, `${name}.db`);
  const original = new DatabaseSync(scene.databaseFile);
  original.exec('pragma wal_checkpoint(truncate)');
  original.close();
  copyFileSync(scene.databaseFile, file);
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
  return ['--database', `sqlite:${file}`];
};

/** A pipeline that works: some events, stored and projected, both consumers running. */
beforeAll(async () => {
  scene = await enterScene('doctor', { partitions: 2 });
  silent = createServer((socket) => socket.on('error', () => socket.destroy()).resume());
  mute = await listening(silent);
  const passing = createServer();
  closed = await listening(passing);
  await new Promise((resolve) => passing.close(resolve));

  const producer = foreignKafka().producer();
  await producer.connect();
  const messages = (await recordsOf(deviationsFrom(1, EVENTS))).map((one) => ({
    ...one,
    headers: { ...one.headers },
  }));
  await producer.send({ topic: scene.topic, messages });
  await producer.disconnect();
  const consumers = [scene.consume('sink'), scene.consume('graph')];
  const ends = await endsOf(scene.topic);
  for (const [at, consumer] of (['sink', 'graph'] as const).entries()) {
    await caughtUp(scene.databaseFile, consumer, ends, () => consumers[at]?.stderr() ?? '');
  }
});

afterAll(async () => {
  await scene.leave();
  await new Promise((resolve) => silent.close(resolve));
});

const onBroker = (): Promise<unknown> =>
  asAdmin(async (admin) => ({
    topics: (await admin.listTopics()).filter((name) => name.startsWith('doctor') || name.startsWith('__')).sort(),
    groups: (await admin.listGroups()).groups
      .map(({ groupId }) => groupId)
      .filter((name) => name.startsWith('doctor') || name.startsWith('deviations'))
      .sort(),
    committed: [...(await committedOf(scene.groups.sink, scene.topic))],
  }));

test('of a pipeline that works nothing is a FAIL, and looking leaves no file, topic, group or commit', async () => {
  const before = { files: readdirSync(scene.folder).sort(), broker: await onBroker() };
  const well = await doctorApart([]);
  expect({ exitCode: well.exitCode, failures: failures(well) }).toEqual({ exitCode: 0, failures: [] });
  expect(well.lines.filter(({ state }) => state === 'skip').map(({ check }) => check)).toEqual(['outbox']);
  expect(line(well, 'clock').says).toBe("is not behind the broker's");
  expect({ files: readdirSync(scene.folder).sort(), broker: await onBroker() }).toEqual(before);
});

describe('a broker', () => {
  test('that is away is one FAIL; what needs it is skipped and names it, the rest is looked at', async () => {
    const away = await doctor(['--brokers', closed]);
    expect({ exitCode: away.exitCode, failures: failures(away) }).toEqual({
      exitCode: 4,
      failures: ['broker BROKER_UNREACHABLE'],
    });
    expect(line(away, 'topic')).toMatchObject({ state: 'skip', says: 'needs broker' });
    expect(line(away, 'versions').state).toBe('ok');
    expect(line(away, 'keys').state).toBe('ok');
  });

  test.each([
    ['broker', () => ['--brokers', mute], 'broker BROKER_UNREACHABLE'],
    ['registry', () => ['--registry', `http://${mute}`], 'registry REGISTRY_UNREACHABLE'],
    ['database', () => ['--database', `postgres://nobody@${mute}/none`], 'database DATABASE_UNREACHABLE'],
  ] as const)(
    'or any other dependency that never answers, here the %s, is given up in time',
    async (_, flags, failure) => {
      const hanging = await doctorApart([...flags(), '--within', '4s'], GIVEN_UP_MS);
      expect({ exitCode: hanging.exitCode, failures: failures(hanging) }).toEqual({ exitCode: 4, failures: [failure] });
    },
  );
});

describe('a topic', () => {
  test('that is missing is named with the command that makes it, and is not made', async () => {
    const topic = `${scene.topic}-missing`;
    const missing = await doctor(['--topic', topic]);
    expect(failures(missing)).toEqual(['topic TOPIC_MISSING']);
    expect(line(missing, 'topic').next).toContain('deviations topic create');
    expect(line(missing, 'sink-position')).toMatchObject({ state: 'skip', says: 'needs topic' });
    expect(await asAdmin((admin) => admin.listTopics())).not.toContain(topic);
  });

  test('with the settings that somebody else’s tool gave it is four lines', async () => {
    const topic = `${scene.topic}-other`;
    scene.alsoRemove({ topics: [topic] });
    await asAdmin((admin) =>
      admin.createTopics({
        waitForLeaders: true,
        topics: [
          {
            topic,
            numPartitions: 1,
            configEntries: [
              { name: 'message.timestamp.type', value: 'CreateTime' },
              { name: 'cleanup.policy', value: 'compact' },
              { name: 'unclean.leader.election.enable', value: 'true' },
              { name: 'retention.ms', value: '3600000' },
            ],
          },
        ],
      }),
    );
    const other = await doctor(['--topic', topic]);
    expect(failures(other)).toEqual([
      'topic-time CONFIG_INVALID',
      'topic-election CONFIG_INVALID',
      'topic-cleanup CONFIG_INVALID',
    ]);
    expect(line(other, 'topic-retention')).toMatchObject({ state: 'warn', says: expect.stringContaining('60 min') });
    expect(other.exitCode).toBe(3);
  });
});

const JSON_TEXT = { status: 200 };
const NOT_FOUND = (error_code: number): StubAnswer => ({ status: 404, body: { error_code, message: 'x' } });
const subjectIn = (path: string): string => /(?:subjects|config)\/([^/]+)/.exec(decodeURIComponent(path))?.[1] ?? '';

/** Holds this tree's texts, unless told otherwise. */
const registered = (request: StubRequest): StubAnswer => {
  const subject = subjectIn(request.path) as typeof AGENT_DEVIATION; // one of ours, or the stub is asked for nothing
  if (request.path.startsWith('/compatibility')) return { ...JSON_TEXT, body: { is_compatible: true } };
  if (request.path.startsWith('/config')) return { ...JSON_TEXT, body: { compatibilityLevel: 'FULL_TRANSITIVE' } };
  const text = loadSchemaText(subject);
  return { ...JSON_TEXT, body: { subject, id: 7, version: 1, schema: text } };
};

describe('a registry', () => {
  test.each<[string, (request: StubRequest) => StubAnswer, string, number, RegExp]>([
    ['without our subjects', () => NOT_FOUND(40401), 'subjects SUBJECT_MISSING', 4, /deviations schema register/],
    [
      'with another contract',
      (request) =>
        request.method === 'POST' && request.path.startsWith('/subjects') ? NOT_FOUND(40403) : registered(request),
      'subjects CONTRACT_MISMATCH',
      3,
      /Deploy the version/,
    ],
    [
      'at the level NONE',
      (request) =>
        request.path.startsWith('/config')
          ? { status: 200, body: { compatibilityLevel: 'NONE' } }
          : registered(request),
      'versions CONTRACT_MISMATCH',
      3,
      /set it back.*deviations schema register/,
    ],
    [
      'with a version that nobody published',
      (request) => {
        const answer = registered(request);
        return request.path.endsWith('/versions/latest')
          ? { status: 200, body: { version: 2, schema: '{"type":"record","name":"x","fields":[]}' } }
          : answer;
      },
      'versions CONTRACT_MISMATCH',
      3,
      /Find its writer/,
    ],
  ])('%s is one FAIL', async (_, answer, failure, exitCode, next) => {
    let stub: RegistryStub | undefined;
    try {
      stub = await openRegistryStub(answer);
      const found = await doctor(['--registry', stub.url]);
      expect({ exitCode: found.exitCode, failures: failures(found) }).toEqual({ exitCode, failures: [failure] });
      expect(line(found, failure.split(' ')[0] ?? '').next).toMatch(next);
    } finally {
      await stub?.close();
    }
  });

  test('that is away is one FAIL', async () => {
    const away = await doctor(['--registry', `http://${closed}`]);
    expect({ exitCode: away.exitCode, failures: failures(away) }).toEqual({
      exitCode: 4,
      failures: ['registry REGISTRY_UNREACHABLE'],
    });
  });
});

describe('a database', () => {
  test('that is away, not there, or not migrated is named with the command that helps; none is made', async () => {
    expect(failures(await doctor(['--database', `postgres://nobody@${closed}/none`]))).toEqual([
      'database DATABASE_UNREACHABLE',
    ]);
    const absent = await doctor(['--database', `sqlite:${join(scene.folder, 'absent.db')}`]);
    expect(failures(absent)).toEqual(['database DATABASE_NOT_MIGRATED']);
    expect(line(absent, 'database').next).toContain('deviations migrate');
    expect(readdirSync(scene.folder)).not.toContain('absent.db');
    const older = await doctor(changed('older', 'delete from schema_migrations'));
    expect(failures(older)).toEqual(['migrations DATABASE_NOT_MIGRATED']);
    expect(line(older, 'keys')).toMatchObject({ state: 'skip', says: 'needs migrations' });
  });

  test('that lost a key by somebody’s hand', async () => {
    const keyless = await doctor(
      changed(
        'keyless',
        'create table c as select * from quarantine; drop table quarantine; alter table c rename to quarantine',
      ),
    );
    expect({ exitCode: keyless.exitCode, failures: failures(keyless) }).toEqual({
      exitCode: 3,
      failures: ['keys CONTRACT_MISMATCH'],
    });
    expect(line(keyless, 'keys').says).toContain('quarantine');
  });

  test('with an open quarantine', async () => {
    const open = await doctor(
      changed(
        'quarantined',
        `insert into quarantine values ('sink', '${scene.topic}', 0, 999, 'NOT_FRAMED', null, 3,
          '2026-11-30T12:00:00.000Z', '2026-11-30T12:00:00.000Z', '2026-11-30T12:00:00.000Z', 1, 'open', null)`,
      ),
    );
    expect({ exitCode: open.exitCode, failures: failures(open) }).toEqual({
      exitCode: 5,
      failures: ['quarantine DATA_PROBLEM'],
    });
  });
});

describe('a consumer', () => {
  test('whose position is past the end of the log waits for an operator', async () => {
    const lost = await doctor(
      changed('lost', "update stream_positions set next_offset = 999 where consumer = 'sink' and partition = 1"),
    );
    expect({ exitCode: lost.exitCode, failures: failures(lost) }).toEqual({
      exitCode: 5,
      failures: ['sink-position HALTED'],
    });
    expect(line(lost, 'sink-position').next).toContain(
      'deviations position adopt --consumer sink --partition 1 --why recreated',
    );
  });

  test('whose group has committed more than its database holds', async () => {
    const behind = await doctor(
      changed('behind', "update stream_positions set next_offset = 1 where consumer = 'graph' and partition = 0"),
    );
    expect({ exitCode: behind.exitCode, failures: failures(behind) }).toEqual({
      exitCode: 5,
      failures: ['graph-position DATA_PROBLEM'],
    });
  });

  test('that does not run, and one that sits in the other’s group', async () => {
    const other = ['--sink-group', scene.groups.graph, '--graph-group', `${scene.topic}-nobody`];
    const found = await doctor(other);
    expect(failures(found)).toEqual(['sink CONFIG_INVALID', 'graph CONSUMER_AWAY']);
    expect(line(found, 'graph').next).toContain('deviations graph');
    expect(found.exitCode).toBe(3);
  });
});

test('a clock that is an hour behind the broker’s', async () => {
  const preload = join(REPOSITORY, 'test', 'support', 'faults-clock.ts');
  const slow = startNode(['--import', preload, PROGRAM, 'doctor', '-o', 'ndjson', ...groupFlags()], {
    env: { ...scene.env, FAULT_CLOCK: JSON.stringify({ atStartMs: -3_600_000, setAtCall: 1e9, thenMs: 0 }) },
    cwd: scene.folder,
  });
  const { code, stdout } = await slow.ended();
  const found = examined(code, stdout);
  expect({ exitCode: found.exitCode, failures: failures(found) }).toEqual({
    exitCode: 3,
    failures: ['clock CONFIG_INVALID'],
  });
});

test('an outbox whose relay holds says what it holds for', async () => {
  const file = join(scene.folder, 'held', 'outbox.db');
  const report = JSON.stringify({
    context: {
      sessionId: '018f0000-0000-7000-8000-00000000000a',
      projectId: '018f0000-0000-7000-8000-00000000000b',
      toolCallId: 'call',
    },
    input: { agente: 'po', tipo: 'laco' },
  });
  const held = await scene.run(['report', '--outbox', file, '--brokers', closed, '--drain', '1s'], `${report}\n`);
  expect(held.code).toBe(4);
  const found = await doctor(['--outbox', file]);
  expect(failures(found)).toEqual(['outbox NOT_DRAINED']);
  expect(line(found, 'outbox').says).toContain('holding for BROKER_UNREACHABLE');
});

test('settings that are wrong are one line, and no secret is shown', async () => {
  const password = join(scene.folder, 'password');
  writeFileSync(password, 'hunter2-hunter2\n');
  const agents = join(scene.folder, 'agents');
  writeFileSync(agents, 'No Slug\n');
  const env = {
    AGENTS_FILE: agents,
    KAFKA_SASL_MECHANISM: 'plain',
    KAFKA_SASL_USERNAME: 'somebody',
    KAFKA_SASL_PASSWORD_FILE: password,
    DATABASE_URL: `postgres://user:hunter2-hunter2@${closed}/none`,
    KAFKA_BROKERS: closed,
  };
  const found = await doctor([], env);
  expect(failures(found)).toEqual([
    'configuration CONFIG_INVALID',
    'broker BROKER_UNREACHABLE',
    'database DATABASE_UNREACHABLE',
  ]);
  expect(line(found, 'agents')).toMatchObject({ state: 'skip', says: 'AGENTS_FILE: see configuration' });
  expect(found.exitCode).toBe(3);
  expect(JSON.stringify(found)).not.toContain('hunter2');

  const bare = examined(...(Object.values(await runCli(['doctor', '-o', 'ndjson'], { env: {} })) as [number, string]));
  expect(failures(bare)).toContain('configuration CONFIG_MISSING');
  expect(line(bare, 'broker')).toMatchObject({ state: 'skip', says: 'KAFKA_BROKERS: see configuration' });
});

describe('status', () => {
  const facts = async (
    flags: readonly string[],
  ): Promise<{ readonly exitCode: number; readonly of: (name: string) => string }> => {
    const ran = await runCli(['status', ...groupFlags(), ...flags], { env: scene.env });
    const all = new Map(linesOf(ran.stdout).map((one) => one.split('\t') as [string, string])); // name and value
    return { exitCode: ran.exitCode, of: (name) => all.get(name) ?? 'no such fact' };
  };

  test('of a pipeline that works is healthy, and tells the last event', async () => {
    const well = await facts([]);
    expect([well.exitCode, well.of('healthy')]).toEqual([0, 'yes']);
    expect([well.of('topic.records'), well.of('sink.lagRecords'), well.of('graph.members')]).toEqual([
      String(EVENTS),
      '0',
      '1',
    ]);
    expect(well.of('last.tipo')).toMatch(/^(laco|cancelamento_pelo_usuario|reparo_pelo_usuario)$/);
  });

  test('knows the lag in records and seconds of a consumer that is not there to tell it', async () => {
    const nobody = ['--sink-group', `${scene.topic}-nobody`, '--graph-group', `${scene.topic}-nobody`];
    const unread = changed(
      'unread',
      "update stream_positions set next_offset = 1 where consumer = 'sink' and partition = 0",
    );
    const lagging = await facts([...unread, ...nobody]);
    const ends = await endsOf(scene.topic);
    expect(lagging.exitCode).toBe(4);
    expect(lagging.of('sink.code')).toBe('CONSUMER_AWAY');
    expect(lagging.of('sink.lagRecords')).toBe(String((ends.get(0) ?? 0n) - 1n));
    // All of them were sent at once, since this test began.
    expect(Number(lagging.of('sink.lagSeconds'))).toBeGreaterThanOrEqual(0);
    expect(Number(lagging.of('sink.lagSeconds'))).toBeLessThan(600);
    expect(lagging.of('graph.lagRecords')).toBe('0');
  });

  test('of a broker that never answers ends in time, and shows the rest', async () => {
    const { code, stdout } = await deviations(['status', ...groupFlags(), '--brokers', mute, '--within', '4s'], {
      env: scene.env,
      cwd: scene.folder,
    });
    expect(code).toBe(4);
    expect(stdout).toMatch(/topic\.code\tBROKER_UNREACHABLE/);
    expect(stdout).toMatch(/last\.tipo\t\w/);
  });
});
