/** `deviations status`, here without a broker and a database (exit 3), and `outbox` look from another process: they make nothing, hold nothing, and see what is there. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import {
  type Box,
  type Folder,
  newFolder,
  openBox,
  submissionNo,
  submissionsFrom,
} from '../../../support/faults-outbox.ts';
import { mountSmallDisk, noMounts, unless } from '../../../support/faults-places.ts';
import { idsIn, openProducer, reportMany } from '../../../support/faults-recorder.ts';
import { uuidNo } from '../../../support/builders.ts';
import { deviations, type Ended, linesOf, startDeviations } from '../../../support/processes.ts';

let folder: Folder;
let box: Box | undefined;
beforeEach(() => {
  folder = newFolder();
});
afterEach(() => {
  box?.outbox.close();
  box = undefined;
  folder.remove();
});

const run = (args: readonly string[], file = folder.file): Promise<Ended> =>
  deviations(args, { env: { PATH: process.env['PATH'] ?? '', OUTBOX_FILE: file }, cwd: folder.path });

/** Every name with its size, time and inode: what a reader would change. */
const traces = (): readonly string[] =>
  readdirSync(folder.path).map((name) => {
    const { size, mtimeMs, ino } = statSync(join(folder.path, name));
    return `${name} ${size} ${mtimeMs} ${ino}`;
  });

const valuesOf = ({ stdout }: Ended): ReadonlyMap<string, string> =>
  new Map(linesOf(stdout).map((line) => line.split('\t') as [string, string])); // name and value, by the format

test('status of an outbox that was named and is not there says so, and makes no file', async () => {
  const answer = await run(['status']);
  expect(answer.code).toBe(3);
  expect(valuesOf(answer).get('outbox.code')).toBe('OUTBOX_MISSING');
  expect(readdirSync(folder.path)).toEqual([]);
});

test.each([[['outbox', 'list']], [['outbox', 'retry', '--all']], [['outbox', 'discard', '--all']]])(
  '%j without an outbox: exit 4, and no file is made',
  async (args) => {
    expect(await run(args)).toMatchObject({ code: 4, stdout: '' });
    expect(readdirSync(folder.path)).toEqual([]);
  },
);

test('of an outbox that nobody has open, status and list tell what is in it and leave no trace', async () => {
  box = openBox(folder.file);
  box.append(submissionsFrom(1, 5));
  box.append([submissionNo(1)]);
  box.rows.setAside(box.rows.oldest(1, 0)[0]?.seq ?? 0, 'MESSAGE_TOO_LARGE');
  box.rows.drop([2]);
  box.outbox.close();
  box = undefined;
  const before = traces();
  const status = valuesOf(await run(['status']));
  expect(Object.fromEntries(status)).toMatchObject({
    'outbox.accepted': '5',
    'outbox.waiting': '3',
    'outbox.relayed': '1',
    'outbox.setAside': '1',
    'outbox.repeatedSame': '1',
  });
  const listed = await run(['outbox', 'list', '-o', 'ndjson']);
  expect(linesOf(listed.stdout).map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { eventId: uuidNo(1), code: 'MESSAGE_TOO_LARGE' },
  ]);
  expect(traces()).toEqual(before);
});

test('while the producer writes, a reader sees whole transactions, and keeps nobody waiting', async () => {
  const producer = openProducer(folder.file);
  let isDone = false;
  let accepted = 0;
  const writing = (async () => {
    for (let first = 1; !isDone; first += 50) accepted += idsIn(await reportMany(producer, first, 50)).length;
  })();
  try {
    const seen: number[] = [];
    for (let look = 0; look < 5; look += 1) {
      const answer = await run(['status']);
      const values = valuesOf(answer);
      expect(values.get('outbox.accepted')).toBe(values.get('outbox.waiting'));
      seen.push(Number(values.get('outbox.accepted')));
    }
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen.at(-1)).toBeGreaterThan(seen[0] ?? 0);
  } finally {
    isDone = true;
    await writing;
    await producer.close(500);
  }
  expect(valuesOf(await run(['status'])).get('outbox.accepted')).toBe(String(accepted));
});

test('a reader sees what a killed process left in its log, and the next producer still has it', async () => {
  const killed = startDeviations(
    [
      'report',
      '--agents',
      join(import.meta.dirname, '../../../../examples/agents.txt'),
      '--brokers',
      '127.0.0.1:1',
      '--registry',
      'http://127.0.0.1:1',
    ],
    {
      env: { PATH: process.env['PATH'] ?? '', OUTBOX_FILE: folder.file, LOG_LEVEL: 'silent' },
      cwd: folder.path,
      input: `${JSON.stringify({
        context: { sessionId: uuidNo(1), projectId: uuidNo(2), toolCallId: 'call' },
        input: { agente: 'po', tipo: 'laco' },
      })}\n`,
    },
  );
  while (linesOf(killed.stdout()).length === 0 && killed.isRunning()) await new Promise((done) => setTimeout(done, 20));
  killed.kill('SIGKILL');
  await killed.ended();
  expect(readdirSync(folder.path)).toContain('outbox.db-wal');
  const before = readdirSync(folder.path);
  expect(valuesOf(await run(['status'])).get('outbox.accepted')).toBe('1');
  expect(readdirSync(folder.path)).toEqual(before);
  box = openBox(folder.file);
  expect(box.status()).toMatchObject({ accepted: 1, waiting: 1 });
});

const BAD_FILES = [
  {
    what: 'a file that is no outbox',
    code: 'OUTBOX_CORRUPT',
    make: (file: string) => writeFileSync(file, 'not a database at all, but longer than a header of one. '.repeat(30)),
  },
  {
    what: 'an outbox of a newer format',
    code: 'OUTBOX_NEWER_FORMAT',
    make: (file: string) => {
      const newer = new DatabaseSync(file);
      newer.exec('create table theirs (x); pragma user_version = 99');
      newer.close();
    },
  },
];
const COMMANDS = [
  ['outbox', 'list'],
  ['outbox', 'retry', '--all'],
  ['outbox', 'discard', '--all'],
];

test.each(BAD_FILES.flatMap((bad) => COMMANDS.map((args) => ({ ...bad, args }))))(
  '$what is named by $args, exit 4, and is left where and as it is',
  async ({ make, code, args }) => {
    make(folder.file);
    const before = readFileSync(folder.file);
    const answer = await run(args);
    expect(answer).toMatchObject({ code: 4, stdout: '' });
    expect(answer.stderr).toContain(code);
    expect(readFileSync(folder.file).equals(before)).toBe(true);
    expect(readdirSync(folder.path).filter((name) => name.includes('.corrupt-'))).toEqual([]);
  },
);

test.each(BAD_FILES)('status names $what and leaves it as it is', async ({ make, code }) => {
  make(folder.file);
  const before = readFileSync(folder.file);
  expect(valuesOf(await run(['status'])).get('outbox.code')).toBe('OUTBOX_REFUSED');
  expect((await run(['status', '-o', 'table'])).stdout).toContain(code);
  expect(readFileSync(folder.file).equals(before)).toBe(true);
});

unless(
  noMounts,
  'reading from a read-only disk',
  test,
)('an outbox on a read-only disk can be read', async () => {
  const disk = mountSmallDisk(4_000_000);
  const file = join(disk.path, 'outbox.db');
  try {
    const filled = openBox(file);
    filled.append(submissionsFrom(1, 3));
    filled.outbox.close();
    disk.readOnly(true);
    expect(valuesOf(await run(['status'], file)).get('outbox.accepted')).toBe('3');
  } finally {
    disk.remove();
  }
});
