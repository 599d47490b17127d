/** Flush and close end, say truly how many wait, and leave no report without its answer. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';
import { type Answer, type DeviationProducer, readOutboxStatus } from '../../../../producer/index.ts';
import { type Folder, newFolder } from '../../../support/faults-outbox.ts';
import { lockOutbox } from '../../../support/faults-processes.ts';
import {
  idsIn,
  openProducer,
  reportMany,
  reportNo,
  type Watch,
  watchThreads,
} from '../../../support/faults-recorder.ts';
import { select } from '../../../support/stack-database.ts';

let folder: Folder;
let watch: Watch;
let producer: DeviationProducer;
beforeEach(() => {
  folder = newFolder();
  watch = watchThreads();
  producer = openProducer(folder.file);
});
afterEach(async () => {
  await producer.close(1_000);
  watch.end();
  folder.remove();
});

const idsInFile = (): readonly string[] =>
  select(folder.file, 'select event_id from waiting order by event_id').map((row) => String(row.event_id));

test('with the broker away a flush and a close end and count every row', async () => {
  await reportMany(producer, 1, 7);
  expect(await producer.flush(200)).toBe(7);
  expect(await producer.close(200)).toBe(7);
  expect(readOutboxStatus(folder.file).waiting).toBe(7);
});

test('a limit of nothing is enough for a true count', async () => {
  await reportMany(producer, 1, 7);
  expect(await producer.flush(0)).toBe(7);
  expect(await producer.close(0)).toBe(7);
});

test('nothing waits when nothing was reported', async () => {
  expect(await producer.flush(1_000)).toBe(0);
  expect(await producer.close(1_000)).toBe(0);
});

test('after the end every call is answered, and a second close says the same', async () => {
  await reportMany(producer, 1, 2);
  expect(await producer.close(200)).toBe(2);
  expect(await producer.report(reportNo(3))).toMatchObject({ recorded: false, code: 'CLOSED' });
  expect(await producer.flush(200)).toBe(2);
  expect(await producer.close(200)).toBe(2);
  expect((await producer.status()).problem).toBeUndefined();
});

for (const limitMs of [0, 50, 1_000]) {
  test(`reports in flight when a close of ${limitMs} ms comes are answered, and truly: recorded is in the file, else it is not`, async () => {
    const answers: Promise<readonly Answer[]>[] = [];
    for (let burst = 0; burst < 20; burst += 1) {
      answers.push(reportMany(producer, 1 + burst * 50, 50));
      if (burst % 4 === 0) await turn();
    }
    const closed = producer.close(limitMs);
    const settled = (await Promise.all(answers)).flat();
    const waiting = await closed;
    expect(settled).toHaveLength(1_000);
    const recorded = [...idsIn(settled)].sort();
    expect(idsInFile()).toEqual(recorded);
    // A report without its answer does not count yet, and a file that is not made yet says nothing.
    expect(waiting ?? 0).toBeLessThanOrEqual(recorded.length);
    if (limitMs >= 1_000) expect(waiting).toBe(recorded.length);
  });
}

test('while another process holds the disk locked, flush and close end before it lets go, and before the thread is free', async () => {
  await reportMany(producer, 1, 3);
  const locker = await lockOutbox(folder.file);
  const order: string[] = [];
  try {
    const refused = producer.report(reportNo(4)).then((answer) => {
      order.push('answer');
      return answer;
    });
    await turn();
    expect(await producer.flush(200)).toBe(3);
    order.push('flush');
    expect(await producer.close(200)).toBe(3);
    order.push('close');
    // Its transaction never began: not recorded, and not in the file.
    expect(await refused).toMatchObject({ recorded: false });
  } finally {
    await locker.letGo();
  }
  expect(order).toEqual(['flush', 'close', 'answer']);
  expect(idsInFile()).toHaveLength(3);
});

test('a report that waits for the lock when the close comes is recorded when it gets it, and says so', async () => {
  await reportMany(producer, 1, 1);
  const locker = await lockOutbox(folder.file);
  const late = producer.report(reportNo(2));
  await turn();
  await producer.close(100);
  await locker.letGo();
  const answer = await late;
  expect(idsInFile()).toHaveLength(answer.recorded ? 2 : 1);
});

test('of a file that cannot be read neither claims that nothing waits', async () => {
  await producer.close(1_000);
  const newer = new DatabaseSync(`${folder.file}.newer`);
  newer.exec('create table theirs (x); pragma user_version = 2');
  newer.close();
  producer = openProducer(`${folder.file}.newer`);
  expect(await producer.flush(100)).toBeUndefined();
  expect(await producer.close(200)).toBeUndefined();
  expect(await producer.flush(100)).toBeUndefined();
});

test('reports whose thread dies during the close are answered truly: recorded is in the file, else it is not', async () => {
  const recorded: string[] = [];
  let refused = 0;
  for (let turns = 0; turns < 6; turns += 1) {
    const dying = openProducer(folder.file);
    recorded.push(...idsIn(await reportMany(dying, 1_000 * turns, 1)));
    const answers = reportMany(dying, 1_000 * turns + 1, 100);
    // Different moments of its work: before, within and after the transactions.
    for (let passed = 0; passed < turns; passed += 1) await turn();
    const closed = dying.close(1_000);
    void watch.threads.at(-1)?.terminate();
    const settled = await answers;
    recorded.push(...idsIn(settled));
    refused += settled.length - idsIn(settled).length;
    await closed;
  }
  expect(idsInFile()).toEqual([...recorded].sort());
  expect(refused).toBeGreaterThan(0);
});

test('a flush whose thread dies ends all the same, with the count of the file', async () => {
  await reportMany(producer, 1, 5);
  const flushed = producer.flush(500);
  await watch.threads.at(-1)?.terminate();
  expect(await flushed).toBe(5);
});
