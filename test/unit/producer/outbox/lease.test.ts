/** One relay at a time across processes, by the operating system: a killed owner frees the lease, a stopped one keeps it. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type Held, tryExclusive, tryShared } from '../../../../producer/outbox/lock-file.ts';
import { type Folder, newFolder, openBox } from '../../../support/faults-outbox.ts';
import { askForLease, holdOutbox } from '../../../support/faults-processes.ts';
import type { RunningProcess } from '../../../support/processes.ts';
import { waitFor } from '../../../support/wait-for.ts';

let folder: Folder;
let lease: string;
const held: Held[] = [];
const processes: RunningProcess[] = [];
beforeEach(() => {
  folder = newFolder();
  lease = `${folder.file}-relay`;
});
afterEach(async () => {
  for (const one of held.splice(0)) one.release();
  for (const one of processes.splice(0)) {
    if (one.isRunning()) one.kill('SIGKILL');
    await one.ended();
  }
  folder.remove();
});

const owner = async (): Promise<RunningProcess> => {
  const holder = await holdOutbox(folder.file, 'lease');
  processes.push(holder);
  return holder;
};
const take = (): boolean => {
  const got = tryExclusive(lease);
  if (got !== undefined) held.push(got);
  return got !== undefined;
};

test('two of one process, and two processes, never have it at the same time', async () => {
  expect(take()).toBe(true);
  expect(take()).toBe(false);
  expect(await askForLease(folder.file)).toBe('refused');
  held.pop()?.release();
  expect(await askForLease(folder.file)).toBe('got');
});

test('asking again and again does not lose what this process holds', async () => {
  expect(take()).toBe(true);
  for (let ask = 0; ask < 5; ask += 1) expect(take()).toBe(false);
  expect(await askForLease(folder.file)).toBe('refused');
});

test('who has the outbox open twice and closes it once still counts as one that uses it', async () => {
  const users = `${folder.file}-users`;
  const first = openBox(folder.file);
  openBox(folder.file).outbox.close();
  expect(tryExclusive(users)).toBeUndefined();
  expect(await askForLease(folder.file, 'users')).toBe('refused');
  first.outbox.close();
  expect(await askForLease(folder.file, 'users')).toBe('got');
});

test('many may use the outbox at once', () => {
  const users = `${folder.file}-users`;
  const both = [tryShared(users), tryShared(users)];
  expect(both.every((one) => one !== undefined)).toBe(true);
  for (const one of both) one?.release();
});

test('a killed owner frees it, and the next one has it', async () => {
  const holder = await owner();
  expect(take()).toBe(false);
  holder.kill('SIGKILL');
  await holder.ended();
  expect(take()).toBe(true);
});

test('an owner that is stopped keeps it, for as long as it is stopped and after it goes on', async () => {
  const holder = await owner();
  holder.kill('SIGSTOP');
  let asked = 0;
  await waitFor('many refusals', () => {
    expect(take()).toBe(false);
    asked += 1;
    return asked >= 20;
  });
  holder.kill('SIGCONT');
  expect(take()).toBe(false);
  holder.kill('SIGKILL');
  await holder.ended();
  expect(take()).toBe(true);
});
