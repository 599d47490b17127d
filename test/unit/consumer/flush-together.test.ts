import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { flushTogether } from '../../../consumer/store/sqlite/flush-together.ts';
import type { FlushAnswer, FlushRequest } from '../../../consumer/index.ts';
import { aFlush } from '../../contract/flushes.ts';

let database: DatabaseSync;
beforeEach(() => {
  database = new DatabaseSync(':memory:');
  database.exec('create table written (partition integer)');
});
afterEach(() => database.close());

const written = (): readonly unknown[] =>
  database
    .prepare('select partition from written order by 1')
    .all()
    .map(({ partition }) => partition);

const commits = (exec: jest.Spied<DatabaseSync['exec']>): number =>
  exec.mock.calls.filter(([sql]) => sql === 'commit').length;

const flushOf = (partition: number): FlushRequest => aFlush(1, undefined, 2, { partition });

/** Writes the partition's number; what `failing` says of it is thrown afterwards. */
const flushes = (failing: (partition: number) => unknown = () => undefined) =>
  flushTogether(database, ({ partition }): FlushAnswer => {
    database.prepare('insert into written values (?)').run(partition);
    const error = failing(partition);
    if (error !== undefined) throw error;
    return { kind: 'flushed-before' };
  });

test('flushes of one turn are committed once, those of another turn once more', async () => {
  const exec = jest.spyOn(database, 'exec');
  const { flush } = flushes();
  await Promise.all([flush(flushOf(1)), flush(flushOf(2)), flush(flushOf(3))]);
  expect(commits(exec)).toBe(1);
  await flush(flushOf(4));
  expect(commits(exec)).toBe(2);
  expect(written()).toEqual([1, 2, 3, 4]);
});

test('one that fails takes nothing of its own in and no neighbour along', async () => {
  const { flush } = flushes((partition) => (partition === 2 ? new Error('made by the test') : undefined));
  const answers = await Promise.allSettled([flush(flushOf(1)), flush(flushOf(2)), flush(flushOf(3))]);
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(written()).toEqual([1, 3]);
});

test('a lock is waited for once, not by each alone', async () => {
  let tries = 0;
  const { flush } = flushes(() => {
    tries += 1;
    return Object.assign(new Error('made by the test'), { errcode: 5 });
  });
  const answers = await Promise.allSettled([flush(flushOf(1)), flush(flushOf(2)), flush(flushOf(3))]);
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(tries).toBe(1);
  expect(written()).toEqual([]);
});

test('the end does at once what is still waited for', () => {
  const { flush, end } = flushes();
  void flush(flushOf(1));
  void flush(flushOf(2));
  end();
  expect(written()).toEqual([1, 2]);
});
