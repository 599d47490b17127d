/** What goes well, and what may not go wrong on the way: order, one send at a time, no row gone before its acknowledgement. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { unframe } from '../../../../wire/index.ts';
import { uuidNo } from '../../../support/builders.ts';
import {
  type Box,
  type Folder,
  newFolder,
  openBox,
  submissionNo,
  submissionsFrom,
} from '../../../support/faults-outbox.ts';
import { free, type OnSend, type TriedRelay, tryRelay } from '../../../support/faults-relay.ts';
import type { RelayParts } from '../../../../producer/relay/relay.ts';
import { waitFor } from '../../../support/wait-for.ts';

let folder: Folder;
let box: Box;
let tried: TriedRelay | undefined;
beforeEach(() => {
  folder = newFolder();
  box = openBox(folder.file);
});
afterEach(async () => {
  await tried?.relay.stop();
  tried = undefined;
  box.outbox.close();
  folder.remove();
});

const start = (onSend: OnSend, given: Partial<RelayParts> = {}): TriedRelay => {
  tried = tryRelay(given.rows ?? box.rows, onSend, given);
  return tried;
};
const drained = (): Promise<boolean> => waitFor('the outbox to be empty', () => box.ids().length === 0);

test('every row goes once, in the order of the reports, in batches of at most a thousand, one send in flight', async () => {
  const reports = submissionsFrom(1, 2_345);
  box.append(reports);
  const { acknowledged, sends, most, relay } = start(() => new Promise(setImmediate));
  await drained();
  expect(acknowledged).toEqual(reports.map(({ eventId }) => eventId));
  expect(Math.max(...sends.map((ids) => ids.length))).toBeLessThanOrEqual(1_000);
  expect(most()).toEqual({ inFlight: 1, senders: 1 });
  box.append(submissionsFrom(5_000, 3));
  relay.wake();
  await drained();
  expect(acknowledged.slice(reports.length)).toEqual(submissionsFrom(5_000, 3).map(({ eventId }) => eventId));
  expect(box.status()).toMatchObject({ accepted: 2_348, relayed: 2_348, waiting: 0, bytes: 0 });
});

test('a record is the row’s body behind the frame of its own text, with its key and headers', async () => {
  const report = submissionNo(1);
  box.append([report]);
  let seen: Parameters<OnSend>[1] = [];
  start((_, records) => {
    seen = records;
  });
  await drained();
  const [record] = seen;
  expect(seen).toHaveLength(1);
  expect(record).toMatchObject({ key: report.key, headers: report.headers });
  expect(unframe(record?.value ?? null)).toMatchObject({ id: 7, body: Buffer.from(report.body) });
});

test('rows leave after the acknowledgement and not before it', async () => {
  box.append(submissionsFrom(1, 3));
  let acknowledge = (): void => {};
  const { sends } = start(
    () =>
      new Promise((resolve) => {
        acknowledge = resolve;
      }),
  );
  await waitFor('the send', () => sends.length === 1);
  expect(box.ids()).toEqual([1, 2, 3].map(uuidNo));
  expect(box.status()).toMatchObject({ relayed: 0, relay: { state: 'sending' } });
  acknowledge();
  await drained();
  expect(box.status().relayed).toBe(3);
});

test('a relay that has sent says idle when it stops', async () => {
  box.append(submissionsFrom(1, 1));
  const { relay } = start(() => {});
  await drained();
  await relay.stop();
  expect(box.status()).toMatchObject({ relay: { state: 'idle' } });
});

test('acknowledged rows that cannot be dropped are not sent again; the dropping is tried again', async () => {
  box.append(submissionsFrom(1, 3));
  let failures = 3;
  const { sends, codesOf } = start(() => {}, {
    rows: {
      ...box.rows,
      drop: (seqs) => {
        failures -= 1;
        if (failures >= 0) throw Object.assign(new Error('made by the test'), { errcode: 13 });
        box.rows.drop(seqs);
      },
    },
  });
  await drained();
  expect(sends).toEqual([[1, 2, 3].map(uuidNo)]);
  expect(box.status()).toMatchObject({ relayed: 3, retried: 3, setAside: 0 });
  expect(codesOf('the relay holds')).toEqual(['OUTBOX_DISK_FULL', 'OUTBOX_DISK_FULL', 'OUTBOX_DISK_FULL']);
});

test('without the lease nothing is sent; once it is there everything goes', async () => {
  box.append(submissionsFrom(1, 3));
  let asked = 0;
  let isFree = false;
  const { sends, acknowledged } = start(() => {}, {
    tryLease: () => {
      asked += 1;
      return isFree ? free() : undefined;
    },
  });
  await waitFor('the lease to be asked for again', () => asked >= 2);
  expect(sends).toEqual([]);
  isFree = true;
  await drained();
  expect(acknowledged).toEqual([1, 2, 3].map(uuidNo));
});

test('the lease is asked for once, kept while the relay runs, and given back at its end', async () => {
  let [given, released] = [0, 0];
  const { relay, acknowledged } = start(() => {}, {
    tryLease: () => {
      given += 1;
      return {
        release: () => {
          released += 1;
        },
      };
    },
  });
  box.append(submissionsFrom(1, 3));
  relay.wake();
  await waitFor('the rows to go', () => acknowledged.length === 3);
  expect({ given, released }).toEqual({ given: 1, released: 0 });
  await relay.stop();
  expect({ given, released }).toEqual({ given: 1, released: 1 });
});

test('a stop waits for the send in flight, drops its rows, sends no more, and closes the sender', async () => {
  box.append(submissionsFrom(1, 500));
  let acknowledge = (): void => {};
  const { relay, sends, senders } = start(
    () =>
      new Promise((resolve) => {
        acknowledge = resolve;
      }),
  );
  await waitFor('the send', () => sends.length === 1);
  let isStopped = false;
  const stopped = relay.stop().then(() => {
    isStopped = true;
  });
  await new Promise(setImmediate);
  expect(isStopped).toBe(false);
  acknowledge();
  await stopped;
  const gone = sends[0]?.length ?? 0;
  expect(gone).toBeLessThan(500);
  expect(box.ids()).toHaveLength(500 - gone);
  expect(sends).toHaveLength(1);
  expect(senders()).toEqual({ made: 1, closed: 1 });
});

test('rows of two texts in one batch are framed each by its own', async () => {
  box.append([submissionNo(1), { ...submissionNo(2), schemaHash: 'of yesterday' }, submissionNo(3)]);
  const ids: number[] = [];
  start(
    (_, records) => {
      ids.push(...records.map(({ value }) => value.readInt32BE(1)));
    },
    { schemaIdOf: (hash) => Promise.resolve((hash === 'of yesterday' ? 5 : 7) as never) }, // a brand over numbers
  );
  await drained();
  expect(ids).toEqual([7, 5, 7]);
});
