import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { documentedProgram } from '../../../cli/documented.ts';
import { FORMATS } from '../../../cli/output/format.ts';
import { runCli } from '../../support/run-cli.ts';

let folder: string;
const file = (name: string): string => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'deviations-cli-'));
  writeFileSync(file('agents.txt'), '# the catalogue\n\n  desenvolvedor  \nrevisor\n');
  writeFileSync(file('bad-agents.txt'), 'desenvolvedor\nZulmira Quaresma\n');
  writeFileSync(file('no-agents.txt'), '# nobody\n\n');
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** `FOLDER` stands for the test's folder. */
const inFolder = (text: string): string => text.replaceAll('FOLDER', folder);
const environment = (env: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(env).map(([name, value]) => [name, inFolder(value)]));

describe('a usage error ends with 2, before any setting is looked at', () => {
  test.each([
    ['', 'Usage: deviations'],
    ['nonsense', "unknown command 'nonsense'"],
    ['qurey', '(Did you mean query?)'],
    ['query --tpio laco', '(Did you mean --tipo?)'],
    ['query --tipo lacco', 'Give one of laco, cancelamento_pelo_usuario, reparo_pelo_usuario. (Did you mean laco?)'],
    ['query --trace 12', 'Give a trace id of 32 hexadecimal digits'],
    ['--color sometimes query', 'Give one of auto, always, never.'],
    ['query --nonsense', "unknown option '--nonsense'"],
    ['query extra', 'too many arguments'],
    ['query --tipo', 'argument missing'],
    ['query --tipo Laco', 'Give one of laco, cancelamento_pelo_usuario, reparo_pelo_usuario.'],
    ['query --agente Zé', 'Give the slug of an agent'],
    ['query --session 12', 'Give an id: 8-4-4-4-12 hexadecimal digits.'],
    ['query --since someday', 'Give 2h (ago), today, yesterday'],
    ['query --since 2026-02-30T00:00:00Z', 'Give 2h (ago), today, yesterday'],
    ['query --since 1h --until 2h', '--since must be before --until'],
    ['query -n 0', 'Give a whole number from 1 to 1000000.'],
    ['query -o xml', 'Give one of table, tsv, ndjson, json, csv.'],
    ['report --drain soon', 'Give a duration such as 500ms, 30s, 5m, 2h or 1d.'],
    ['topic', 'Usage: deviations topic'],
    ['topic create --partitions none', 'Give a whole number from 1 to 10000.'],
    ['topic create --replication 0', 'Give a whole number from 1 to 100.'],
    ['schema show anamnese.other', 'give one of anamnese.agent_deviation'],
    ['sink --group', 'argument missing'],
    ['graph --agents x', "unknown option '--agents'"],
  ])('deviations %s', async (line, said) => {
    const ran = await runCli(line.split(' ').filter((word) => word !== ''));
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain(said);
    expect(ran.stdout).toBe('');
  });
});

describe('a wrong setting ends with 3, naming the setting and what to do', () => {
  type Row = readonly [string, Readonly<Record<string, string>>, string];
  const rows: readonly Row[] = [
    [
      'report',
      {},
      'a setting is missing (CONFIG_MISSING): AGENTS_FILE. Set AGENTS_FILE or give --agents: one slug a line',
    ],
    ['report --dry-run', { AGENTS_FILE: '' }, 'a setting is missing (CONFIG_MISSING): AGENTS_FILE.'],
    [
      'report --dry-run',
      { AGENTS_FILE: 'FOLDER/absent' },
      'AGENTS_FILE. The file FOLDER/absent cannot be read: check its name and its rights',
    ],
    [
      'report --dry-run',
      { AGENTS_FILE: 'FOLDER/bad-agents.txt' },
      'AGENTS_FILE. Write one slug a line into FOLDER/bad-agents.txt: lower-case letters, digits, single hyphens, at most 32 characters (entry 2 is none)',
    ],
    ['report --dry-run', { AGENTS_FILE: 'FOLDER/no-agents.txt' }, 'AGENTS_FILE. Write one slug a line'],
    ['report', { AGENTS_FILE: 'FOLDER/agents.txt' }, 'KAFKA_BROKERS. Set KAFKA_BROKERS or give --brokers'],
    [
      'report --brokers b:9092',
      { AGENTS_FILE: 'FOLDER/agents.txt' },
      'SCHEMA_REGISTRY_URL. Set SCHEMA_REGISTRY_URL or give --registry',
    ],
    ['topic show', {}, 'KAFKA_BROKERS. Set KAFKA_BROKERS or give --brokers'],
    [
      'topic show',
      { KAFKA_BROKERS: 'broker' },
      'a setting is not right (CONFIG_INVALID): KAFKA_BROKERS. Give host:port, several separated by commas',
    ],
    ['topic show', { KAFKA_BROKERS: 'http://broker:9092' }, 'KAFKA_BROKERS. Give host:port'],
    ['topic show', { KAFKA_BROKERS: ' , ' }, 'KAFKA_BROKERS. Give host:port'],
    [
      'topic show',
      { KAFKA_BROKERS: 'b:1', KAFKA_SASL_MECHANISM: 'kerberos' },
      'KAFKA_SASL_MECHANISM. Give one of plain, scram-sha-256, scram-sha-512',
    ],
    [
      'topic show',
      { KAFKA_BROKERS: 'b:1', KAFKA_SASL_MECHANISM: 'PLAIN' },
      'KAFKA_SASL_USERNAME. Set KAFKA_SASL_USERNAME or give --sasl-username',
    ],
    [
      'topic show',
      {
        KAFKA_BROKERS: 'b:1',
        KAFKA_SASL_MECHANISM: 'plain',
        KAFKA_SASL_USERNAME: 'u',
        KAFKA_SASL_PASSWORD_FILE: 'FOLDER/absent',
      },
      'KAFKA_SASL_PASSWORD_FILE. The file FOLDER/absent cannot be read',
    ],
    [
      'topic show',
      { KAFKA_BROKERS: 'b:1', LOG_LEVEL: 'loud' },
      'LOG_LEVEL. Give one of debug, info, warn, error, silent',
    ],
    [
      'schema register',
      { SCHEMA_REGISTRY_URL: 'registry:8081' },
      'SCHEMA_REGISTRY_URL. Give an address such as http://localhost:8081',
    ],
    [
      'schema register',
      { SCHEMA_REGISTRY_URL: 'http://somebody:secret@registry:8081' },
      'SCHEMA_REGISTRY_URL. Take user and password out of the address: they have settings of their own',
    ],
    [
      'schema register',
      { SCHEMA_REGISTRY_URL: 'http://r', SCHEMA_REGISTRY_USERNAME: 'u' },
      'SCHEMA_REGISTRY_PASSWORD_FILE. Set SCHEMA_REGISTRY_PASSWORD_FILE',
    ],
    ['query --database mysql://db', {}, 'DATABASE_URL. Give sqlite:FILE'],
    ['migrate --database sqlite:', {}, 'DATABASE_URL. Give sqlite:FILE'],
    [
      'sink --brokers b:1 --registry http://r --topic a/b',
      {},
      'SESSION_EVENTS_TOPIC. Use letters, digits, dot, hyphen and underscore, at most 249',
    ],
    ['graph', {}, 'KAFKA_BROKERS. Set KAFKA_BROKERS or give --brokers'],
  ];

  test.each(rows)('deviations %s with %j', async (line, env, said) => {
    const ran = await runCli(line.split(' '), { env: environment(env) });
    expect(ran.stderr).toContain(inFolder(said));
    expect(ran.exitCode).toBe(3);
    expect(ran.stdout).toBe('');
    expect(ran.stderr).not.toContain('Zulmira');
  });

  test('and a flag stands over the environment', async () => {
    const ran = await runCli(['report', '--dry-run', '--agents', file('agents.txt')], {
      env: { AGENTS_FILE: file('bad-agents.txt') },
    });
    expect(ran).toMatchObject({ exitCode: 0, stdout: '' });
  });
});

describe('a database that is absent ends with 4, and no file is made', () => {
  test.each([
    'query',
    'query -o json --fail-if-empty',
    'stats',
    'show 018f0000-0000-7000-8000-000000000001',
    'position show',
    'quarantine list',
  ])('deviations %s', async (line) => {
    const before = readdirSync(folder);
    const ran = await runCli(line.split(' '), { env: { DATABASE_URL: `sqlite:${file('absent.db')}` } });
    expect(ran.exitCode).toBe(4);
    expect(ran.stderr).toBe(
      `deviations: the database lacks the tables of this version (DATABASE_NOT_MIGRATED): there is no file ${file('absent.db')}. Check DATABASE_URL and the folder you are in, or make it: deviations migrate\n`,
    );
    expect(readdirSync(folder)).toEqual(before);
  });
});

describe('help that is asked for ends with 0, on stdout', () => {
  test.each(['--help', 'query --help', 'topic --help', 'help query', 'help quarantine list'])(
    'deviations %s',
    async (line) => {
      const ran = await runCli(line.split(' '));
      expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
      expect(ran.stdout).toContain('Usage: deviations');
    },
  );
});

describe('help for a word that is no command', () => {
  test.each([
    ['help doctr', "error: no command 'doctr'", '(Did you mean doctor?)'],
    ['help quarantine lst', "error: no command 'lst'", '(Did you mean list?)'],
    ['help doctor list', 'error: doctor has no commands', '(see deviations doctor --help)'],
  ])('deviations %s ends with 2 and names the nearest', async (line, says, next) => {
    const ran = await runCli(line.split(' '));
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain(says);
    expect(ran.stderr).toContain(next);
  });
});

describe('help', () => {
  const { commands, globals, filters, settings } = documentedProgram();

  test('is written with ASCII alone, so that it can be read on any terminal', () => {
    const texts = commands.flatMap(({ help, flags }) => [help, ...flags.map((flag) => flag.help)]);
    const all = [...texts, ...[...globals, ...filters, ...settings].map((flag) => flag.help)];
    expect(all.filter((text) => !/^[\x20-\x7e]*$/.test(text))).toEqual([]);
  });

  test('of every command that prints data names the forms, and of every one that is about deviations the filters', () => {
    const formsOf = (words: string) =>
      commands.find((one) => one.words === `deviations ${words}`)?.flags.find(({ flags }) => flags.startsWith('-o'));
    for (const words of ['query', 'show', 'stats', 'tail', 'status', 'doctor', 'verify', 'quarantine list', 'config']) {
      expect([words, formsOf(words)?.words]).toEqual([words, [...FORMATS]]);
    }
    const filtered = commands.filter(({ hasFilters }) => hasFilters).map(({ words }) => words);
    expect(filtered).toEqual(expect.arrayContaining(['tail', 'query', 'stats'].map((words) => `deviations ${words}`)));
  });
});
