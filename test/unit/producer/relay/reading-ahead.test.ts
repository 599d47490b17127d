/** What the relay does with the disk while a full batch is in flight, and that it costs neither order nor a row. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { retryAside } from '../../../../producer/index.ts';
import type { WaitingRows } from '../../../../producer/outbox/waiting-rows.ts';
import { uuidNo } from '../../../support/builders.ts';
import { type Box, type Folder, newFolder, openBox, submissionsFrom } from '../../../support/faults-outbox.ts';
import { brokerSays, HOLDS, type OnSend, type TriedRelay, tryRelay } from '../../../support/faults-relay.ts';
import { waitFor } from '../../../support/wait-for.ts';

const ROWS = 2_500;
const idsFrom = (first: number, count: number): readonly string[] =>
  submissionsFrom(first, count).map(({ eventId }) => eventId);

let folder: Folder;
let box: Box;
let tried: TriedRelay | undefined;
beforeEach(() => {
  folder = newFolder();
  box = openBox(folder.file);
  box.append(submissionsFrom(1, ROWS));
});
afterEach(async () => {
  await tried?.relay.stop();
  tried = undefined;
  box.outbox.close();
  folder.remove();
});

const start = (onSend: OnSend, rows: WaitingRows = box.rows): TriedRelay => {
  tried = tryRelay(rows, onSend);
  return tried;
};
const drained = (): Promise<boolean> => waitFor('the outbox to be empty', () => box.ids().length === 0);

/** Acknowledges one send at a time when it is told to, and in the end every one. */
const byHand = () => {
  let acknowledge = (): void => {};
  let isFree = false;
  const onSend: OnSend = () =>
    new Promise((resolve) => {
      acknowledge = resolve;
      if (isFree) resolve();
    });
  return {
    onSend,
    acknowledge: () => acknowledge(),
    acknowledgeAll: () => {
      isFree = true;
      acknowledge();
    },
  };
};

test('acknowledged rows leave while the next send is in flight, and those in flight stay', async () => {
  const hand = byHand();
  const { sends } = start(hand.onSend);
  await waitFor('the first send', () => sends.length === 1);
  const first = sends[0]?.length ?? 0;
  expect(box.ids()).toHaveLength(ROWS);
  hand.acknowledge();
  await waitFor('the first rows to leave', () => box.ids().length < ROWS);
  expect(sends).toHaveLength(2);
  expect(box.ids()).toEqual(idsFrom(first + 1, ROWS - first));
  hand.acknowledgeAll();
});

test('a row that was set aside and is to be tried again goes next, however many wait behind it', async () => {
  box.rows.setAside(1, 'MESSAGE_TOO_LARGE');
  const hand = byHand();
  const { sends } = start(hand.onSend);
  await waitFor('the first send', () => sends.length === 1);
  hand.acknowledge();
  await waitFor('the second send', () => sends.length === 2);
  expect(retryAside(folder.file, 'all')).toBe(1);
  hand.acknowledge();
  hand.acknowledgeAll();
  await drained();
  // Only what had been read already went before it.
  const its = sends.findIndex((ids) => ids.includes(uuidNo(1)));
  expect(its).toBeLessThan(4);
  expect(sends[its]?.[0]).toBe(uuidNo(1));
  expect(sends.flat().filter((id) => id === uuidNo(1))).toHaveLength(1);
});

test('a drop that fails while a send is in flight neither abandons the send nor repeats one', async () => {
  let failures = 3;
  const holdsInFlight: number[] = [];
  const { acknowledged, most, codesOf, sends } = start(
    async () => {
      if (sends.length === 2) await waitFor('the drop to fail', () => failures < 3);
      for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
      if (sends.length === 2) holdsInFlight.push(codesOf(HOLDS).length);
    },
    {
      ...box.rows,
      drop: (seqs) => {
        failures -= 1;
        if (failures >= 0) throw Object.assign(new Error('made by the test'), { errcode: 13 });
        box.rows.drop(seqs);
      },
    },
  );
  await drained();
  expect(acknowledged).toEqual(idsFrom(1, ROWS));
  expect(most()).toEqual({ inFlight: 1, senders: 1 });
  expect(holdsInFlight).toEqual([0]);
  expect(codesOf(HOLDS)).toEqual(['OUTBOX_DISK_FULL', 'OUTBOX_DISK_FULL', 'OUTBOX_DISK_FULL']);
  expect(box.status()).toMatchObject({ relayed: ROWS, waiting: 0, bytes: 0 });
});

test('a send that fails is sent again before what was read meanwhile', async () => {
  let count = 0;
  const { acknowledged } = start(async () => {
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    count += 1;
    if (count === 2) throw brokerSays('ECONNREFUSED');
  });
  await drained();
  expect(acknowledged).toEqual(idsFrom(1, ROWS));
});

test('a drop does not wait for the disk, and appends do so all the same afterwards', () => {
  const FULL = 2;
  const synchronous = (): unknown => box.outbox.database.prepare('pragma synchronous').get()?.['synchronous'];
  box.rows.drop(box.rows.oldest(10, 0).map(({ seq }) => seq));
  expect(synchronous()).toBe(FULL);
  box.outbox.database.exec('create trigger refuse before delete on waiting begin select raise(abort, 1); end');
  expect(() => box.rows.drop(box.rows.oldest(10, 0).map(({ seq }) => seq))).toThrow();
  expect(synchronous()).toBe(FULL);
});
