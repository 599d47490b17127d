/** What the printed commands hand to the tools, seen by stand-ins of the tools that show what they get. */
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { shellWord } from '../../../cli/shell.ts';
import { linesIn, runCli } from '../../support/run-cli.ts';

interface RecipeLine {
  readonly tool: string;
  readonly name: string;
  readonly command: string;
}

/** Words that a shell would take for its own. */
const AWKWARD = ["it's", 'a b', '$(touch owned)', '`id`', '"', '\\', 'a;b', '*', '', '-x', 'ção', "'\\''", '!1', '&&'];
const PASSWORD = 'p"a\\ss $word\'s';

let folder: string;
let env: Readonly<Record<string, string>>;

/** Each argument on a line; a file among them with its content. */
const STAND_IN = `#!/usr/bin/env bash
for word in "$@"; do case $word in /dev/fd/*) echo "file:"; cat "$word"; echo ":file" ;; *) printf '%s\\n' "$word" ;; esac; done
env | grep -E '^(BROKERS|TLS_|SASL_|PG)' | sort
`;
const TOOLS = ['kcat', 'kafka-console-consumer.sh', 'kafkactl', 'psql', 'sqlite3'];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'deviations-recipes-'));
  for (const tool of TOOLS) {
    writeFileSync(join(folder, tool), STAND_IN);
    chmodSync(join(folder, tool), 0o755);
  }
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  env = {
    KAFKA_BROKERS: 'a:9092,b:9092',
    KAFKA_SSL_CA_FILE: file("it's a ca.pem", 'CA'),
    KAFKA_SSL_CERT_FILE: file('cert.pem', '-----BEGIN-----\nabc\n-----END-----\n'),
    KAFKA_SSL_KEY_FILE: file('key.pem', 'KEY\nKEY\n'),
    KAFKA_SASL_MECHANISM: 'scram-sha-512',
    KAFKA_SASL_USERNAME: 'some"body $HOME',
    KAFKA_SASL_PASSWORD_FILE: file('pass word', `${PASSWORD}\n`),
  };
});
afterAll(() => rmSync(folder, { recursive: true }));

const recipes = async (tool: string, settings: Readonly<Record<string, string>>): Promise<readonly RecipeLine[]> => {
  const { stdout, exitCode } = await runCli(['recipes', tool, '-o', 'ndjson'], { env: settings });
  expect(exitCode).toBe(0);
  return linesIn(stdout).map((line) => JSON.parse(line) as RecipeLine); // by `-o ndjson`
};

const bash = async (command: string): Promise<string> => {
  const { stdout } = await promisify(execFile)('bash', ['-c', command], {
    env: { PATH: `${folder}:${process.env['PATH']}` },
    cwd: folder,
  });
  return stdout;
};

/** What the tool alone was given, without what filters its answer. */
const handedTo = async (tool: string, settings: Readonly<Record<string, string>>): Promise<readonly string[]> => {
  const command = (await recipes(tool, settings)).find(({ name }) => name === 'count')?.command ?? '';
  return linesIn(await bash(command.replace(/(?: 2>\/dev\/null)? \| grep .*$/, '')));
};

test('a word is the same word behind a shell', async () => {
  const said = await bash(`printf '%s\\n' ${AWKWARD.map(shellWord).join(' ')}`);
  expect(linesIn(said)).toEqual(AWKWARD);
});

describe('TLS and SASL settings', () => {
  test('are librdkafka’s for kcat, the password in a file that is no file', async () => {
    expect(await handedTo('kcat', env)).toEqual([
      '-C',
      '-q',
      '-e',
      '-b',
      'a:9092,b:9092',
      '-X',
      'security.protocol=SASL_SSL',
      '-X',
      `ssl.ca.location=${env.KAFKA_SSL_CA_FILE}`,
      '-X',
      `ssl.certificate.location=${env.KAFKA_SSL_CERT_FILE}`,
      '-X',
      `ssl.key.location=${env.KAFKA_SSL_KEY_FILE}`,
      '-X',
      'sasl.mechanisms=SCRAM-SHA-512',
      '-X',
      `sasl.username=${env.KAFKA_SASL_USERNAME}`,
      '-F',
      'file:',
      `sasl.password=${PASSWORD}`,
      ':file',
      '-t',
      'session-events',
      '-o',
      'beginning',
      '-f',
      '%h\\n',
    ]);
  });

  test('are the Java client’s for the console consumer, escaped for a login module in a properties file', async () => {
    expect(await handedTo('console', env)).toEqual([
      '--bootstrap-server',
      'a:9092,b:9092',
      '--command-config',
      'file:',
      'security.protocol=SASL_SSL',
      'ssl.truststore.type=PEM',
      `ssl.truststore.location=${env.KAFKA_SSL_CA_FILE}`,
      'ssl.keystore.type=PEM',
      'sasl.mechanism=SCRAM-SHA-512',
      'ssl.keystore.certificate.chain=-----BEGIN-----\\nabc\\n-----END-----\\n',
      'ssl.keystore.key=KEY\\nKEY\\n',
      // A properties file halves the backslashes, the login module's quotes do it again.
      'sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required username="some\\\\"body $HOME" password="p\\\\"a\\\\\\\\ss $word\'s";',
      ':file',
      '--topic',
      'session-events',
      '--from-beginning',
      '--isolation-level',
      'read_committed',
      '--timeout-ms',
      '10000',
      '--formatter-property',
      'print.headers=true',
      '--formatter-property',
      'print.value=false',
    ]);
  });

  test('are kafkactl’s variables', async () => {
    expect(await handedTo('kafkactl', env)).toEqual(
      expect.arrayContaining([
        'BROKERS=a:9092 b:9092',
        'TLS_ENABLED=true',
        `TLS_CA=${env.KAFKA_SSL_CA_FILE}`,
        `TLS_CERT=${env.KAFKA_SSL_CERT_FILE}`,
        `TLS_CERTKEY=${env.KAFKA_SSL_KEY_FILE}`,
        'SASL_ENABLED=true',
        'SASL_MECHANISM=scram-sha512',
        `SASL_USERNAME=${env.KAFKA_SASL_USERNAME}`,
        `SASL_PASSWORD=${PASSWORD}`,
      ]),
    );
  });

  test('of PostgreSQL are psql’s variables; a password in the address is left out', async () => {
    const handed = await handedTo('psql', {
      DATABASE_URL: 'postgres://reader:hunter2@db:5432/events',
      DATABASE_PASSWORD_FILE: env.KAFKA_SASL_PASSWORD_FILE ?? '',
      DATABASE_CA_FILE: env.KAFKA_SSL_CA_FILE ?? '',
    });
    expect(handed).toEqual([
      '-X',
      '-A',
      '-t',
      '-d',
      'postgres://reader@db:5432/events',
      '-c',
      'select count(*) from v_agent_deviation',
      `PGPASSWORD=${PASSWORD}`,
      'PGSSLMODE=verify-full',
      `PGSSLROOTCERT=${env.KAFKA_SSL_CA_FILE}`,
    ]);
  });

  test('never put a secret into a command', async () => {
    const all = [
      ...(await recipes('kcat', env)),
      ...(await recipes('console', env)),
      ...(await recipes('kafkactl', env)),
      ...(await recipes('psql', { DATABASE_URL: 'postgres://reader:hunter2@db/events' })),
    ];
    expect(all.map(({ command }) => command).filter((command) => /hunter2|p"a|ss \$word/.test(command))).toEqual([]);
  });
});

test('a file with an awkward name is one word to sqlite3', async () => {
  expect(await handedTo('sqlite', { DATABASE_URL: "sqlite:it's $(touch owned).db" })).toEqual([
    '-readonly',
    "it's $(touch owned).db",
    'select count(*) from v_agent_deviation',
  ]);
});

test.each(['kcat', 'console', 'kafkactl', 'sqlite'])(
  'every recipe of %s is one line that bash can read',
  async (tool) => {
    const all = await recipes(tool, { ...env, DATABASE_URL: 'sqlite:x.db' });
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
    for (const { command } of all) {
      expect(command).not.toMatch(/[\n\t]/);
      await promisify(execFile)('bash', ['-n', '-c', command]);
    }
  },
);

describe('deviations recipes', () => {
  test('without a tool gives what the settings are for, and says what is left out', async () => {
    const ran = await runCli(['recipes'], { env: { DATABASE_URL: 'sqlite:x.db' } });
    expect(ran.exitCode).toBe(0);
    expect(new Set(linesIn(ran.stdout).map((line) => line.split('\t')[0]))).toEqual(new Set(['sqlite']));
    expect(ran.stderr).toContain('no recipes for kcat: KAFKA_BROKERS');
    expect(ran.stderr).toContain('no recipes for psql: DATABASE_URL');
  });

  test.each([
    [['kcat'], {}, 3, /KAFKA_BROKERS/],
    [['psql'], {}, 3, /deviations recipes sqlite/],
    [['sqlite'], { DATABASE_URL: 'postgres://db/x' }, 3, /deviations recipes psql/],
    [['kca'], {}, 2, /Did you mean kcat/],
    [['sqlite', '--session', 'x'], {}, 2, /hexadecimal/],
  ])('%j with %j ends with %i', async (args, settings, exitCode, says) => {
    const ran = await runCli(['recipes', ...args], { env: settings as Record<string, string> });
    expect({ exitCode: ran.exitCode, stdout: ran.stdout }).toEqual({ exitCode, stdout: '' });
    expect(ran.stderr).toMatch(says);
  });

  test('on a terminal is a comment above each command', async () => {
    const { stdout } = await runCli(['recipes', 'sqlite', '--color', 'never'], { columns: 80 });
    expect(stdout).toContain(
      '# sqlite: how many deviations are stored\nsqlite3 -readonly data/session-events.db "select count(*) from v_agent_deviation"\n',
    );
    expect(await bash(`set -n\n${stdout}`)).toBe('');
  });
});
