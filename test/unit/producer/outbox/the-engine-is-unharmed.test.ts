/** Whatever becomes of the outbox's thread, its disk or the engine's own callbacks: each report is answered, and truly. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { DeviationProducer, ProducerOptions } from '../../../../producer/index.ts';
import { readOutboxStatus } from '../../../../producer/index.ts';
import { GROUP } from '../../../../producer/outbox/outbox-recorder.ts';
import { MAX_RESTARTS, RESTART_PAUSE_MS } from '../../../../producer/outbox/outbox-thread.ts';
import { type Folder, newFolder } from '../../../support/faults-outbox.ts';
import { mountSmallDisk, noMounts, unless } from '../../../support/faults-places.ts';
import { lockOutbox } from '../../../support/faults-processes.ts';
import {
  idsIn,
  openProducer,
  reportMany,
  reportNo,
  type Watch,
  watchThreads,
} from '../../../support/faults-recorder.ts';
import { keepLog } from '../../../support/faults-service.ts';
import { select } from '../../../support/stack-database.ts';
import { waitFor } from '../../../support/wait-for.ts';

let folder: Folder;
let watch: Watch;
let producer: DeviationProducer | undefined;
beforeEach(() => {
  folder = newFolder();
  watch = watchThreads();
});
afterEach(async () => {
  await producer?.close(1_000);
  producer = undefined;
  watch.end();
  folder.remove();
});

const open = (given: Partial<ProducerOptions> = {}): DeviationProducer => {
  producer = openProducer(folder.file, given);
  return producer;
};

interface Starts {
  (): number;
  /** How many there may be by now: at once as often as that, then with a pause before each. */
  allowed(): number;
  end(): void;
}

/** Every thread is killed by its first ref or unref, which is part of its start. */
const killAtStart = (): Starts => {
  const threads = new Set<Worker>();
  const beganMs = performance.now();
  const unref = Object.getOwnPropertyDescriptor(Worker.prototype, 'unref')?.value as Worker['unref']; // a method
  Worker.prototype.unref = function (this: Worker): void {
    unref.call(this);
    if (threads.has(this)) return;
    threads.add(this);
    void this.terminate();
  };
  return Object.assign(() => threads.size, {
    allowed: () => 1 + MAX_RESTARTS + Math.ceil((performance.now() - beganMs) / RESTART_PAUSE_MS),
    end: () => {
      Worker.prototype.unref = unref;
    },
  });
};

const idsInFile = (): readonly string[] =>
  select(folder.file, 'select event_id from waiting order by event_id').map((row) => String(row.event_id));
const sorted = (ids: readonly string[]): readonly string[] => [...ids].sort();

test('of a thousand reports at once each gets its own answer, and each is in the file', async () => {
  const answers = await reportMany(open(), 1, 1_000);
  expect(new Set(idsIn(answers)).size).toBe(1_000);
  expect(sorted(idsIn(answers))).toEqual(idsInFile());
});

test('reports that come together share their transactions', async () => {
  const shared = open();
  await reportMany(shared, 1, 1);
  const before = watch.threads.length;
  let messages = 0;
  const [thread] = watch.threads;
  thread?.on('message', (message: { readonly kind: string }) => {
    if (message.kind === 'appended') messages += 1;
  });
  await reportMany(shared, 2, 500);
  expect(watch.threads).toHaveLength(before);
  // Each group that is handed over is answered at once, with others or alone.
  expect(messages).toBeLessThanOrEqual(Math.ceil(500 / GROUP));
});

test('however steady the reports are, the engine’s own turns come between their answers', async () => {
  const busy = open();
  const [CHAINS, EACH] = [64, 100];
  let answered = 0;
  let most = 0;
  let isOver = false;
  const countTurn = (): void => {
    most = Math.max(most, answered);
    answered = 0;
    if (!isOver) setImmediate(countTurn);
  };
  setImmediate(countTurn);
  const chain = async (first: number): Promise<void> => {
    for (let n = first; n < first + EACH; n += 1) {
      if ((await busy.report(reportNo(n))).recorded) answered += 1;
    }
  };
  await Promise.all(Array.from({ length: CHAINS }, (_, index) => chain(index * EACH)));
  isOver = true;
  expect(most).toBeGreaterThan(0);
  // A report that follows an answer is answered in a later turn; the order within a turn may change once.
  expect(most).toBeLessThanOrEqual(2 * CHAINS);
});

test('the thread killed under load, again and again, is started again: nothing accepted is lost, nothing doubled', async () => {
  const { log, codesOf, entries } = keepLog();
  const killed = open({ log });
  const answers: Promise<readonly string[]>[] = [];
  let next = 1;
  for (let kill = 0; kill < 6; kill += 1) {
    for (let burst = 0; burst < 5; burst += 1) {
      answers.push(reportMany(killed, next, 40).then(idsIn));
      next += 40;
      await turn();
    }
    void watch.threads.at(-1)?.terminate();
    await waitFor('a thread to be started again', () => entries.filter(({ level }) => level === 'error').length > kill);
    await Promise.all(answers);
  }
  const accepted = (await Promise.all(answers)).flat();
  expect(accepted).toHaveLength(next - 1);
  expect(sorted(accepted)).toEqual(idsInFile());
  expect(readOutboxStatus(folder.file)).toMatchObject({ accepted: next - 1, repeatedOther: 0 });
  expect(codesOf('the outbox is not available')).toEqual([]);
});

test('a thread that dies as soon as it starts leaves no report unanswered, and is not started without a pause', async () => {
  const starts = killAtStart();
  try {
    const broken = open();
    expect(await broken.report(reportNo(1))).toMatchObject({ recorded: false, code: 'OUTBOX_UNAVAILABLE' });
    expect(await broken.report(reportNo(2))).toMatchObject({ recorded: false, code: 'OUTBOX_UNAVAILABLE' });
    expect(starts()).toBeLessThanOrEqual(starts.allowed());
  } finally {
    starts.end();
  }
  expect(await producer?.report(reportNo(3))).toMatchObject({ recorded: true });
});

test('a thread that dies while the engine reports nothing is not started over and over', async () => {
  const starts = killAtStart();
  try {
    open();
    let ticks = 0;
    const ticking = setInterval(() => {
      ticks += 1;
    }, 20);
    await waitFor('a hundred ticks', () => ticks >= 100);
    clearInterval(ticking);
    expect(starts()).toBeLessThanOrEqual(starts.allowed());
  } finally {
    starts.end();
  }
});

test('a registry or broker whose certificate file is missing holds the relay alone', async () => {
  const reached = open({ registry: { url: 'https://127.0.0.1:1', caFile: '/nonexistent/ca.pem' } });
  expect(await reached.report(reportNo(1))).toMatchObject({ recorded: true });
  await waitFor('the relay to hold', async () => (await reached.status()).outbox?.relay?.state === 'holding');
});

test('callbacks of the engine that throw cost no report its answer', async () => {
  let asked = 0;
  const complains = (): never => {
    asked += 1;
    throw new Error('the engine’s own');
  };
  const complained = open({
    onStatus: complains,
    log: { debug: complains, info: complains, warn: complains, error: complains },
  });
  expect(await complained.report(reportNo(1))).toMatchObject({ recorded: true });
  await waitFor('the callback and the log to be used', () => asked > 2);
  expect(await complained.report(reportNo(2))).toMatchObject({ recorded: true });
});

test('while another process holds the disk locked, the engine’s event loop goes on, and the state is told', async () => {
  const watched = open();
  await watched.report(reportNo(1));
  const locker = await lockOutbox(folder.file);
  let ticks = 0;
  const ticking = setInterval(() => {
    ticks += 1;
  }, 10);
  try {
    const answer = watched.report(reportNo(2));
    await turn();
    const state = watched.status();
    expect(await answer).toMatchObject({ recorded: false, code: 'OUTBOX_UNAVAILABLE' });
    // The wait for the lock is 5 s: a blocked loop ticks once or twice.
    expect(ticks).toBeGreaterThan(10);
    expect(await state).toMatchObject({ problem: 'OUTBOX_LOCKED' });
  } finally {
    clearInterval(ticking);
    await locker.letGo();
  }
  expect(await watched.report(reportNo(2))).toMatchObject({ recorded: true });
});

unless(
  noMounts,
  'the callback on a full disk',
  test,
)('the engine’s callback is told why reports are refused, and when that is over, without asking', async () => {
  const disk = mountSmallDisk(4_000_000);
  const told: (string | undefined)[] = [];
  const full = openProducer(join(disk.path, 'outbox.db'), { onStatus: ({ problem }) => void told.push(problem) });
  try {
    await full.report(reportNo(1));
    disk.fill();
    await waitFor('a refusal', async () => !(await full.report(reportNo(told.length + 2))).recorded);
    await waitFor('the callback to name it', () => told.includes('OUTBOX_DISK_FULL'));
    disk.empty();
    await waitFor('a report to be taken again', async () => (await full.report(reportNo(1_000))).recorded);
    await waitFor('the callback to say that it is over', () => told.at(-1) === undefined);
  } finally {
    await full.close(500);
    disk.remove();
  }
});
