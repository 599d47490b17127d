/** A producer keeps no process alive, leaves nothing behind, and raises nothing that nobody handles. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type Folder, newFolder, openBox } from '../../../support/faults-outbox.ts';
import { linesOf, REPOSITORY, startNode } from '../../../support/processes.ts';

const PROGRAM = join(REPOSITORY, 'test', 'support', 'faults-program.ts');

let folder: Folder;
beforeEach(() => {
  folder = newFolder();
});
afterEach(() => folder.remove());

const run = (how: string) =>
  startNode([PROGRAM, how, folder.file], { env: { PATH: process.env['PATH'] ?? '' } }).ended();

test.each([
  ['open-only', []],
  ['open-close', ['0 still wait']],
  ['report-close', ['3 still wait']],
  ['report-leave', ['3 recorded']],
  ['refused-leave', []],
  ['flush-leave', ['1 still wait']],
  ['many', []],
])('%s: with the broker and the registry away the process ends by itself, and quietly', async (how, said) => {
  const ended = await run(how);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(linesOf(ended.stdout)).toEqual([...said, '0 listeners left']);
});

test('the clients of Kafka and the registry are loaded by the thread that needs them, never by the engine’s', async () => {
  const { stdout } = await run('packages');
  expect(linesOf(stdout)).toEqual(['avsc', '0 listeners left']);
});

test('what a process that just left had accepted is there for the next', async () => {
  await run('report-leave');
  const box = openBox(folder.file);
  expect(box.status()).toMatchObject({ accepted: 3, waiting: 3 });
  box.outbox.close();
});
