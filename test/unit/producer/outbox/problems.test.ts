/** What keeps the outbox from its file: the report is refused, the operator reads why, and afterwards it works again. */
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { uuidNo } from '../../../support/builders.ts';
import { type Folder, newFolder, openBox, submissionNo, submissionsFrom } from '../../../support/faults-outbox.ts';
import { mountSmallDisk, noMounts, type SmallDisk, unless } from '../../../support/faults-places.ts';
import { lockOutbox } from '../../../support/faults-processes.ts';
import { AVAILABLE, type TriedService, tryService, UNAVAILABLE } from '../../../support/faults-service.ts';
import { waitFor } from '../../../support/wait-for.ts';

const REFUSED = { kept: false, code: 'OUTBOX_UNAVAILABLE' };

let folder: Folder;
let tried: TriedService | undefined;
beforeEach(() => {
  folder = newFolder();
});
afterEach(async () => {
  await tried?.service.close();
  tried = undefined;
  folder.remove();
});

const start = (file = folder.file): TriedService => {
  tried = tryService(file);
  return tried;
};

/** Reports until one is taken, as an engine that calls again does. */
const takenAgain = (service: TriedService, n: number): Promise<boolean> =>
  waitFor('a report to be taken again', () => service.append([submissionNo(n)])[0]?.kept === true, {
    seen: () => JSON.stringify(service.entries),
  });

test('a file that another process keeps locked: refused, named OUTBOX_LOCKED once, and taken when it is free', async () => {
  const { service, append, codesOf, entries } = start();
  append([submissionNo(1)]);
  const locker = await lockOutbox(folder.file);
  try {
    expect(append([submissionNo(2)])).toEqual([REFUSED]);
    expect(service.report()).toMatchObject({ problem: 'OUTBOX_LOCKED', status: { accepted: 1 } });
    expect(service.report().problem).toBe('OUTBOX_LOCKED');
    expect(codesOf(UNAVAILABLE)).toEqual(['OUTBOX_LOCKED']);
  } finally {
    await locker.letGo();
  }
  expect(append([submissionNo(2)])).toMatchObject([{ kept: true }]);
  expect(service.report()).toMatchObject({ problem: undefined, status: { accepted: 2 } });
  expect(entries.filter(({ what }) => what === AVAILABLE)).toHaveLength(1);
}, 30_000);

test('a file of a newer format is left as it is, and named', () => {
  const newer = new DatabaseSync(folder.file);
  newer.exec('create table theirs (x); pragma user_version = 99');
  newer.close();
  const { service, append, codesOf } = start();
  expect(append([submissionNo(1)])).toEqual([REFUSED]);
  expect(service.report()).toEqual({ status: undefined, problem: 'OUTBOX_NEWER_FORMAT' });
  expect(codesOf(UNAVAILABLE)).toEqual(['OUTBOX_NEWER_FORMAT']);
  const again = new DatabaseSync(folder.file, { readOnly: true });
  expect(again.prepare('select name from sqlite_master').all()).toMatchObject([{ name: 'theirs' }]);
  again.close();
});

test('a file with other tables under our names is refused, and held open by nobody', async () => {
  const strange = new DatabaseSync(folder.file);
  strange.exec('create table waiting (x)');
  strange.close();
  const { append } = start();
  expect(append([submissionNo(1)])).toEqual([REFUSED]);
  const open = (): readonly string[] =>
    readdirSync('/proc/self/fd').flatMap((fd) => {
      try {
        return [String(statSync(`/proc/self/fd/${fd}`).ino)];
      } catch {
        return [];
      }
    });
  if (process.platform === 'linux') {
    const ours = readdirSync(folder.path).map((name) => String(statSync(join(folder.path, name)).ino));
    expect(open().filter((inode) => ours.includes(inode))).toEqual([]);
  }
});

test('a folder in the place of the file is named OUTBOX_CANNOT_OPEN', () => {
  mkdirSync(folder.file);
  const { service, append } = start();
  expect(append([submissionNo(1)])).toEqual([REFUSED]);
  expect(service.report().problem).toBe('OUTBOX_CANNOT_OPEN');
});

test('what could not be opened at the start is opened without waiting for a report', async () => {
  const place = join(folder.path, 'later');
  writeFileSync(place, 'a file where the folder should be');
  const { service, relays } = start(join(place, 'outbox.db'));
  expect(service.report().status).toBeUndefined();
  rmSync(place);
  await waitFor('the outbox to be opened and its relay started', () => relays.length === 1);
});

test('refusals are counted in the file once it can be written again', async () => {
  const place = join(folder.path, 'later');
  writeFileSync(place, 'a file where the folder should be');
  const { service } = start(join(place, 'outbox.db'));
  service.append([], new Map([['refused.TIPO_UNKNOWN', 2] as const]));
  service.append([], new Map([['refused.TIPO_UNKNOWN', 1] as const, ['refused.OUTBOX_UNAVAILABLE', 4] as const]));
  rmSync(place);
  const status = await waitFor('the outbox to be there', () => {
    service.append([], new Map());
    return service.report().status;
  });
  expect(status.refused).toEqual({ TIPO_UNKNOWN: 3, OUTBOX_UNAVAILABLE: 4 });
});

test('every file of the outbox is its owner’s alone, also beside a file of looser rights', () => {
  const before = process.umask(0);
  try {
    const { append } = start();
    append([submissionNo(1)]);
    const lease = openBox(folder.file);
    const modes = Object.fromEntries(
      readdirSync(folder.path).map((name) => [name, (statSync(join(folder.path, name)).mode & 0o777).toString(8)]),
    );
    lease.outbox.close();
    expect(Object.keys(modes)).toEqual(expect.arrayContaining(['outbox.db', 'outbox.db-wal', 'outbox.db-shm']));
    expect(new Set(Object.values(modes))).toEqual(new Set(['600']));
  } finally {
    process.umask(before);
  }
});

const onDisk = unless(noMounts, 'a disk that is full or read-only', test);
const withDisk = async (bytes: number, work: (disk: SmallDisk, file: string) => Promise<void>): Promise<void> => {
  const disk = mountSmallDisk(bytes);
  try {
    await work(disk, join(disk.path, 'outbox.db'));
  } finally {
    await tried?.service.close();
    tried = undefined;
    disk.remove();
  }
};

onDisk('a read-only folder is named OUTBOX_READ_ONLY, and taken into use when it is writable', async () => {
  await withDisk(4_000_000, async (disk, file) => {
    disk.readOnly(true);
    const service = start(file);
    expect(service.append([submissionNo(1)])).toEqual([REFUSED]);
    expect(service.service.report()).toEqual({ status: undefined, problem: 'OUTBOX_READ_ONLY' });
    expect(service.codesOf(UNAVAILABLE)).toEqual(['OUTBOX_READ_ONLY']);
    disk.readOnly(false);
    await takenAgain(service, 1);
    expect(service.service.report()).toMatchObject({ problem: undefined, status: { accepted: 1 } });
  });
});

/** Writes until not one page more fits: what the log has room for may still go in. */
const useUp = (relays: TriedService['relays']): void => {
  for (let written = 0; written < 1_000; written += 1) {
    try {
      relays.at(-1)?.countRetry();
    } catch {
      return;
    }
  }
  throw new Error('the disk did not fill up');
};

onDisk('a full disk is named OUTBOX_DISK_FULL for as long as it is full, whoever asks and however often', async () => {
  await withDisk(4_000_000, async (disk, file) => {
    const { service, append, codesOf, entries, relays } = start(file);
    append([submissionNo(1)]);
    disk.fill();
    useUp(relays);
    const next = 2;
    expect(append([submissionNo(next)])).toEqual([REFUSED]);
    for (let asked = 0; asked < 3; asked += 1) {
      expect(service.report()).toMatchObject({ problem: 'OUTBOX_DISK_FULL', status: { accepted: next - 1 } });
      expect(append([submissionNo(next)])).toEqual([REFUSED]);
    }
    expect(codesOf(UNAVAILABLE)).toEqual(['OUTBOX_DISK_FULL']);
    disk.empty();
    // Also without a report: the operator who made room looks whether that was it.
    expect(service.report().problem).toBeUndefined();
    expect(append([submissionNo(next)])).toMatchObject([{ kept: true }]);
    expect(service.report()).toMatchObject({ problem: undefined, status: { accepted: next } });
    expect(entries.filter(({ what }) => what === AVAILABLE)).toHaveLength(1);
    await service.close();
    const box = openBox(file);
    expect(box.ids()).toEqual(Array.from({ length: next }, (_, index) => uuidNo(index + 1)));
    box.outbox.close();
  });
});

onDisk('a disk that is full at the start is named, and the outbox made when there is room', async () => {
  await withDisk(4_000_000, async (disk, file) => {
    disk.fill();
    const service = start(file);
    expect(service.append([submissionNo(1)])).toEqual([REFUSED]);
    expect(service.service.report()).toEqual({ status: undefined, problem: 'OUTBOX_DISK_FULL' });
    disk.empty();
    await takenAgain(service, 1);
  });
});

onDisk('a disk that is full when acknowledged rows should leave is named, though no report comes', async () => {
  await withDisk(4_000_000, async (disk, file) => {
    const { service, append, relays } = start(file);
    append(submissionsFrom(1, 10));
    const [rows] = relays;
    if (rows === undefined) throw new Error('no relay was started');
    const seqs = rows.oldest(10, 0).map(({ seq }) => seq);
    disk.fill();
    useUp(relays);
    expect(() => rows.drop(seqs)).toThrow();
    expect(service.report()).toMatchObject({ problem: 'OUTBOX_DISK_FULL', status: { waiting: 10 } });
    disk.empty();
    rows.drop(seqs);
    expect(service.report()).toMatchObject({ problem: undefined, status: { waiting: 0, relayed: 10 } });
  });
});
