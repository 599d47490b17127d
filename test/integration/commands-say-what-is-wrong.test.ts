/** A dependency that is away, a file that is not there, a signal: each has its exit code and its sentence, and stdout stays data. */
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { isAlive, linesOf, type LogLine, type RunningProcess } from '../support/processes.ts';
import { EXPECTED_ANSWERS, RECORDED, REPORTS_TEXT } from '../support/stack-examples.ts';
import { enterScene, type Scene } from '../support/stack-scene.ts';
import { waitFor } from '../support/wait-for.ts';

let scene: Scene;
/** Takes connections and never says a word. */
let silent: Server;
let silentPort: number;
/** Nobody listens there. */
let closedPort: number;

const listening = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
};

beforeAll(async () => {
  scene = await enterScene('commands-say-what-is-wrong');
  // Reads, so that it notices when the other side goes.
  silent = createServer((socket) => socket.on('error', () => socket.destroy()).resume());
  silentPort = await listening(silent);
  const passing = createServer();
  closedPort = await listening(passing);
  await new Promise((resolve) => passing.close(resolve));
});

afterAll(async () => {
  await scene.leave();
  await new Promise((resolve) => silent.close(resolve));
});

const closed = () => `127.0.0.1:${closedPort}`;
const mute = () => `127.0.0.1:${silentPort}`;

/** The sentence for people, beside lines of the log. */
const sentenceOf = (stderr: string): string =>
  linesOf(stderr).find((line) => line.startsWith('deviations: ')) ?? stderr;

const AWAY: readonly {
  readonly what: string;
  readonly args: () => readonly string[];
  readonly says: RegExp;
}[] = [
  {
    what: 'topic show with the broker away',
    args: () => ['topic', 'show', '--brokers', closed()],
    says: /BROKER_UNREACHABLE.*Check KAFKA_BROKERS/,
  },
  {
    what: 'topic show of a topic that does not exist',
    args: () => ['topic', 'show', '--topic', `${scene.topic}-missing`],
    says: /TOPIC_MISSING.*deviations topic create/,
  },
  {
    what: 'schema register with the registry away',
    args: () => ['schema', 'register', '--registry', `http://${closed()}`],
    says: /REGISTRY_UNREACHABLE.*Check SCHEMA_REGISTRY_URL/,
  },
  {
    what: 'schema register with a registry that never answers',
    args: () => ['schema', 'register', '--registry', `http://${mute()}`],
    says: /REGISTRY_UNREACHABLE.*Check SCHEMA_REGISTRY_URL/,
  },
];

test.each(AWAY)('$what ends with 4 and says what to check, with nothing on stdout', async ({ args, says }) => {
  const { code, stdout, stderr } = await scene.run(args());
  expect({ code, stdout, stderr }).toMatchObject({ code: 4, stdout: '' });
  expect(sentenceOf(stderr)).toMatch(says);
});

test('query without a database ends with 4, names the command that makes it, and makes no file', async () => {
  const file = join(scene.folder, 'not', 'there.db');
  const { code, stdout, stderr } = await scene.run(['query', '--database', `sqlite:${file}`]);
  expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
  expect(sentenceOf(stderr)).toMatch(/DATABASE_NOT_MIGRATED.*deviations migrate/);
  expect([existsSync(file), existsSync(join(scene.folder, 'not'))]).toEqual([false, false]);
});

/** The fields of the log that the design lists, and what every line has. */
const ALLOWED_IN_A_LOG_LINE = new Set(
  'level time msg consumer topic partition offset toOffset epoch reason code where next count stored duplicate filtered quarantined waitMs signal'.split(
    ' ',
  ),
);

/** Ours are JSON objects with allow-listed fields; kafkajs and Node write other things. */
const isOwnLogLine = (line: string): boolean => {
  if (!line.startsWith('{')) return false;
  const entry = JSON.parse(line) as LogLine; // an object, by its brace
  return Object.keys(entry).every((name) => ALLOWED_IN_A_LOG_LINE.has(name));
};

test('report writes its answers to stdout, one a line, and nothing else', async () => {
  const { code, stdout, stderr } = await scene.run(['report', '--log-level', 'debug'], REPORTS_TEXT);
  expect(code).toBe(0);
  const answers = linesOf(stdout).map((line) => JSON.parse(line) as { readonly recorded: unknown }); // throws on talk
  expect(answers.map(({ recorded }) => ({ recorded }))).toEqual(EXPECTED_ANSWERS);

  const talk = linesOf(stderr).filter((line) => !isOwnLogLine(line));
  expect(talk).toEqual([`${RECORDED} recorded, ${EXPECTED_ANSWERS.length - RECORDED} refused; 0 still wait`]);
});

const readySink = async (): Promise<RunningProcess> => {
  const sink = scene.consume('sink');
  await sink.logged('ready');
  return sink;
};

test('SIGTERM ends a sink with 0, and it has written its own log lines alone', async () => {
  const sink = await readySink();
  await sink.logged('claimed a partition');
  sink.kill('SIGTERM');
  const { code, stdout, stderr } = await sink.ended();
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  expect(linesOf(stderr).filter((line) => !isOwnLogLine(line))).toEqual([]);
});

test('SIGTERM ends a sink with 0 before it has joined its group', async () => {
  const sink = await readySink();
  sink.kill('SIGTERM');
  expect(await sink.ended()).toMatchObject({ code: 0, stdout: '' });
});

test.each([
  { what: 'is away', brokers: closed },
  { what: 'never answers', brokers: mute },
])('SIGTERM ends a sink with 0 while the broker $what', async ({ brokers }) => {
  const sink = scene.start(['sink', '--group', scene.groups.sink, '--brokers', brokers()]);
  await sink.logged('holds', { code: 'BROKER_UNREACHABLE' });
  sink.kill('SIGTERM');
  const { code, stderr } = await sink.ended();
  expect(code).toBe(0);
  expect(linesOf(stderr).filter((line) => !isOwnLogLine(line))).toEqual([]);
});

test('Ctrl-C ends a sink with 130', async () => {
  const sink = await readySink();
  sink.kill('SIGINT');
  expect(await sink.ended()).toMatchObject({ code: 130 });
  await waitFor('the process to be gone', () => !isAlive(sink.pid));
});
