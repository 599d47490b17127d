/** Whatever is wrong with the database, each reading command says which one, what is wrong and what to do, with 4. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { migrate } from '../../../consumer/index.ts';
import { type OwnDatabase, type OwnPostgres, startPostgres } from '../../support/embedded-postgres.ts';
import { runCli } from '../../support/run-cli.ts';

const COMMANDS = [
  ['query'],
  ['stats'],
  ['show', '018f0000-0000-7000-8000-000000000001'],
  ['position', 'show'],
  ['quarantine', 'list'],
] as const;

/** Must be in no message. */
const WRONG_PASSWORD = 'not-the-secret-8f2c';

let folder: string;
let server: OwnPostgres;
let empty: OwnDatabase;
let migrated: OwnDatabase;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'deviations-databases-'));
  writeFileSync(join(folder, 'text.db'), 'This is no database, though its name says so.\n'.repeat(100));
  writeFileSync(join(folder, 'empty.db'), '');
  server = await startPostgres();
  [empty, migrated] = [await server.createDatabase(), await server.createDatabase()];
  await migrate({ url: migrated.url });
  await migrated.select("create role visitor login password 'visitor'");
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server.remove();
});

const changed = (url: string, change: (parts: URL) => void): string => {
  const parts = new URL(url);
  change(parts);
  return parts.href;
};

const WRONG: readonly { readonly what: string; readonly url: () => string; readonly says: RegExp }[] = [
  {
    what: 'a SQLite file that is not there',
    url: () => `sqlite:${join(folder, 'absent.db')}`,
    says: /DATABASE_NOT_MIGRATED\): there is no file \S+absent\.db\. Check DATABASE_URL.*deviations migrate$/,
  },
  {
    what: 'a SQLite file without tables',
    url: () => `sqlite:${join(folder, 'empty.db')}`,
    says: /DATABASE_NOT_MIGRATED\): .*deviations migrate$/,
  },
  {
    what: 'a file that is no database',
    url: () => `sqlite:${join(folder, 'text.db')}`,
    says: /DATABASE_REFUSED\): \S+text\.db \(CORRUPT\)\. Check the file, its folder and its rights$/,
  },
  {
    what: 'a folder',
    url: () => `sqlite:${folder}`,
    says: /DATABASE_UNREACHABLE\): \S+\. Check the file, its folder and its rights$/,
  },
  {
    what: 'a server that is away',
    url: () => 'postgres://u@127.0.0.1:1/events',
    says: /DATABASE_UNREACHABLE\): 127\.0\.0\.1:1\/events\. Check DATABASE_URL and that the database is up$/,
  },
  {
    what: 'a wrong password',
    url: () => changed(migrated.url, (parts) => void (parts.password = WRONG_PASSWORD)),
    says: /DATABASE_REFUSED\): 127\.0\.0\.1:\d+\/test_\w+ \(SQLSTATE 28P01\)\. Check the user, DATABASE_PASSWORD_FILE and the rights$/,
  },
  {
    what: 'a database that is not there',
    url: () => changed(migrated.url, (parts) => void (parts.pathname = '/nowhere')),
    says: /DATABASE_NOT_MIGRATED\): \S+\/nowhere \(SQLSTATE 3D000\)\. There is no such database: check the name.*deviations migrate$/,
  },
  {
    what: 'a database without tables',
    url: () => empty.url,
    says: /DATABASE_NOT_MIGRATED\): the database is at version 0 of \d+\. .*deviations migrate$/,
  },
  {
    what: 'a user without rights',
    url: () =>
      changed(migrated.url, (parts) => {
        parts.username = 'visitor';
        parts.password = 'visitor';
      }),
    says: /DATABASE_REFUSED\): .* \(SQLSTATE 42501\)\. Check the user, DATABASE_PASSWORD_FILE and the rights$/,
  },
];

describe.each(WRONG)('$what', ({ url, says }) => {
  test.each(COMMANDS)('ends deviations %s with 4 and says what to do', async (...args) => {
    const ran = await runCli(args, { env: { DATABASE_URL: url() } });
    expect(ran).toMatchObject({ exitCode: 4, stdout: '' });
    expect(ran.stderr.trimEnd()).toMatch(says);
    expect(ran.stderr).not.toContain(WRONG_PASSWORD);
  });
});
