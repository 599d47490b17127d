import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { masked } from '../../../cli/masked.ts';
import { SETTING_NAMES } from '../../../cli/settings.ts';
import { linesIn, runCli } from '../../support/run-cli.ts';
import { goldenScreens } from '../../support/screens.ts';

const SECRET = 'hunter2-of-the-maintainers';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'deviations-config-'));
  writeFileSync(join(folder, 'password'), SECRET);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const ENV = {
  KAFKA_BROKERS: 'broker-1:9092,broker-2:9092',
  DATABASE_URL: `postgres://maintainer:${SECRET}@database:5432/events`,
  LOG_LEVEL: '',
  SESSION_STACK: 'docker',
} as const;

goldenScreens('config', (flags, columns) =>
  runCli([...flags, 'config', '--topic', 'session-events-try'], { columns, env: ENV }),
);

interface Line {
  readonly setting: string;
  readonly value: string | null;
  readonly origin: string;
  readonly flag: string | null;
}

const configured = async (flags: readonly string[], env: Readonly<Record<string, string>>): Promise<readonly Line[]> =>
  linesIn((await runCli(['config', ...flags, '-o', 'ndjson'], { env })).stdout).map(
    (line) => JSON.parse(line) as Line, // ours
  );

describe('deviations config', () => {
  test('shows every setting, where it came from, and the flag that overrides it', async () => {
    const lines = await configured(['--topic', 'mine'], { ...ENV, SESSION_EVENTS_TOPIC: 'theirs' });
    expect(lines.map(({ setting }) => setting)).toEqual([...SETTING_NAMES, 'SESSION_STACK']);
    expect(lines.filter(({ origin }) => origin !== 'not set')).toEqual([
      { setting: 'KAFKA_BROKERS', value: ENV.KAFKA_BROKERS, origin: 'environment', flag: '--brokers' },
      {
        setting: 'DATABASE_URL',
        value: 'postgres://maintainer:***@database:5432/events',
        origin: 'environment',
        flag: '--database',
      },
      { setting: 'SESSION_EVENTS_TOPIC', value: 'mine', origin: 'flag', flag: '--topic' },
      { setting: 'OUTBOX_FILE', value: 'data/outbox.db', origin: 'default', flag: '--outbox' },
      // Set to nothing is not set.
      { setting: 'LOG_LEVEL', value: 'info', origin: 'default', flag: '--log-level' },
      { setting: 'SESSION_STACK', value: 'docker', origin: 'environment', flag: null },
    ]);
  });

  test.each(['table', 'tsv', 'ndjson', 'json', 'csv'])(
    'as %s shows no secret: the file of one, never what it holds',
    async (format) => {
      const file = join(folder, 'password');
      const { stdout, stderr, exitCode } = await runCli(['config', '-o', format, '--sasl-password-file', file], {
        env: { ...ENV, DATABASE_PASSWORD_FILE: file },
      });
      expect(exitCode).toBe(0);
      expect(stdout + stderr).not.toContain(SECRET);
      expect(stdout).toContain(format === 'table' ? 'DATABASE_PASSWORD_FILE' : file);
    },
  );

  test('lets no value steer the terminal', async () => {
    const { stdout } = await runCli(['config', '-o', 'tsv'], { env: { OUTBOX_FILE: 'a\u001b[2Jb\tc\nd' } });
    expect(linesIn(stdout).filter((line) => line.startsWith('OUTBOX_FILE'))).toEqual([
      'OUTBOX_FILE\ta\ufffd[2Jb\ufffdc\ufffdd\tenvironment\t--outbox',
    ]);
  });
});

describe('an address', () => {
  test.each([
    ['postgres://u:secret@h/d', 'postgres://u:***@h/d'],
    ['postgres://u:p@ss:w@rd@h:1/d', 'postgres://u:***@h:1/d'],
    ['postgres://u:@h/d', 'postgres://u:***@h/d'],
    ['postgres://h/d?user=u&password=s&sslmode=on', 'postgres://h/d?user=u&password=***&sslmode=on'],
    ['https://u:s@registry:8081/apis', 'https://u:***@registry:8081/apis'],
    ['postgres://u@h:5432/d', 'postgres://u@h:5432/d'],
    ['sqlite:data/a@b:c.db', 'sqlite:data/a@b:c.db'],
    ['broker-1:9092,broker-2:9092', 'broker-1:9092,broker-2:9092'],
  ])('%s is shown as %s', (given, shown) => {
    expect(masked(given)).toBe(shown);
  });
});
