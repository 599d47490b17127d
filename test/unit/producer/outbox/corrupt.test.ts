/** A corrupt outbox is set aside whole and loudly, never mended, emptied or renamed under another process. */
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  openSync,
  closeSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type Folder, newFolder, openBox, submissionNo, submissionsFrom } from '../../../support/faults-outbox.ts';
import { holdOutbox } from '../../../support/faults-processes.ts';
import { type TriedService, tryService, UNAVAILABLE } from '../../../support/faults-service.ts';
import { waitFor } from '../../../support/wait-for.ts';

const SET_ASIDE = 'a corrupt outbox was set aside whole, its bytes are kept';

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

const start = (): TriedService => {
  tried = tryService(folder.file);
  return tried;
};

const PARTS = ['', '-wal'] as const;
const hashes = (file: string): readonly string[] =>
  PARTS.map((part) =>
    existsSync(`${file}${part}`)
      ? createHash('sha256')
          .update(readFileSync(`${file}${part}`))
          .digest('hex')
      : 'none',
  );

/** An outbox with rows, closed: one file. */
const fillOutbox = (): void => {
  const box = openBox(folder.file);
  for (let from = 1; from < 2_000; from += 200) box.append(submissionsFrom(from, 200));
  box.outbox.close();
};

/** An outbox whose process was killed: rows in the file, and others in the log beside it. */
const fillAndKill = (): void => {
  fillOutbox();
  const box = openBox(folder.file);
  box.append(submissionsFrom(3_000, 50));
  for (const part of PARTS) copyFileSync(`${folder.file}${part}`, join(folder.path, `kept${part}`));
  box.outbox.close();
  for (const part of PARTS) copyFileSync(join(folder.path, `kept${part}`), `${folder.file}${part}`);
};

const overwrite = (at: number, bytes: number): void => {
  const fd = openSync(folder.file, 'r+');
  writeSync(fd, Buffer.alloc(bytes, 0xa5), 0, bytes, at);
  closeSync(fd);
};

const asides = (): readonly string[] =>
  readdirSync(folder.path)
    .filter((name) => /\.corrupt-[^/]*Z$/.test(name))
    .map((name) => join(folder.path, name));

const DAMAGES = [
  { what: 'an overwritten header', damage: () => overwrite(0, 100) },
  { what: 'an overwritten first page', damage: () => overwrite(0, 4_096) },
  {
    what: 'a file cut in half',
    damage: () => truncateSync(folder.file, Math.floor(statSync(folder.file).size / 8_192) * 4_096),
  },
] as const;

const startedAnew = async (service: TriedService): Promise<void> => {
  await waitFor('a report to be taken', () => service.append([submissionNo(1)])[0]?.kept === true, {
    seen: () => JSON.stringify(service.entries),
  });
  expect(service.service.report()).toMatchObject({ problem: undefined, status: { accepted: 1, waiting: 1 } });
};

for (const { what, damage } of DAMAGES) {
  test(`${what}: the file is set aside with every byte it had, said loudly, and a new one begun`, async () => {
    fillOutbox();
    damage();
    const before = hashes(folder.file);
    const service = start();
    await startedAnew(service);
    const [aside, ...more] = asides();
    expect(more).toEqual([]);
    expect(hashes(aside ?? '')).toEqual(before);
    expect(service.entries.filter((entry) => entry.what === SET_ASIDE)).toMatchObject([
      { level: 'error', fields: { code: 'OUTBOX_CORRUPT', where: aside } },
    ]);
  });

  test(`${what}, after its process was killed: the log that lay beside it is kept as well, byte for byte`, async () => {
    fillAndKill();
    damage();
    const before = PARTS.map((part) => readFileSync(`${folder.file}${part}`));
    const { service, append } = start();
    const status = await waitFor('a report to be taken', () => {
      append([submissionNo(9_000)]);
      const { status: now } = service.report();
      return now !== undefined && now.accepted > 0 && now;
    });
    const [aside] = asides();
    // The log holds the damaged pages anew, or it does not; then nothing may have been lost on the way out.
    if (aside === undefined) expect(status).toMatchObject({ accepted: 2_051, waiting: 2_051 });
    else {
      // Until the damage was met, the log may have grown.
      const kept = PARTS.map((part, index) => readFileSync(`${aside}${part}`).subarray(0, before[index]?.length));
      expect(kept.map((bytes, index) => bytes.equals(before[index] ?? Buffer.alloc(0)))).toEqual([true, true]);
    }
  });
}

test('a page in the middle that a report stumbles on: the file is set aside and the next report is taken', async () => {
  fillOutbox();
  overwrite(4_096, statSync(folder.file).size - 8_192);
  const before = hashes(folder.file);
  const service = start();
  await startedAnew(service);
  expect(asides().map(hashes)).toEqual([before]);
});

test('a page that only the relay reads: the file is set aside though no report comes', async () => {
  fillOutbox();
  // The rows' own pages: found by what stands in them.
  const bytes = readFileSync(folder.file);
  let damaged = 0;
  for (let page = 4_096 * 2; page < bytes.length; page += 4_096) {
    if (bytes.subarray(page, page + 4_096).includes('content-type')) {
      overwrite(page, 4_096);
      damaged += 1;
    }
  }
  expect(damaged).toBeGreaterThan(10);
  const before = hashes(folder.file);
  const service = start();
  expect(() => service.relays.at(-1)?.oldest(400, 0)).toThrow();
  await waitFor('a second relay, on a new file', () => service.relays.length === 2);
  expect(asides().map(hashes)).toEqual([before]);
  expect(service.codesOf(UNAVAILABLE)).toEqual(['OUTBOX_CORRUPT']);
});

test('while another process has the file open it is not renamed under it, and set aside once that one has ended', async () => {
  fillOutbox();
  const other = await holdOutbox(folder.file);
  overwrite(0, 4_096);
  const before = hashes(folder.file)[0];
  const service = start();
  expect(service.append([submissionNo(1)])).toEqual([{ kept: false, code: 'OUTBOX_UNAVAILABLE' }]);
  expect(service.service.report().problem).toBe('OUTBOX_CORRUPT');
  expect(asides()).toEqual([]);
  expect(hashes(folder.file)[0]).toBe(before);
  other.kill('SIGKILL');
  await other.ended();
  await startedAnew(service);
  expect(asides()).toHaveLength(1);
});

test('a second corrupt file gets a name of its own', async () => {
  for (let time = 1; time <= 2; time += 1) {
    fillOutbox();
    overwrite(0, 4_096);
    const service = start();
    await startedAnew(service);
    await service.service.close();
    tried = undefined;
    expect(asides()).toHaveLength(time);
  }
});
