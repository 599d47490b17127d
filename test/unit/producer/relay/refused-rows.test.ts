/** A record that the broker refuses for its own sake blocks no other; anything else that fails is waited out. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { discardAside, listAside, retryAside } from '../../../../producer/outbox/maintain.ts';
import { StreamError, schemaId } from '../../../../wire/index.ts';
import { NOON_MS, uuidNo } from '../../../support/builders.ts';
import {
  type Box,
  type Folder,
  newFolder,
  openBox,
  submissionNo,
  submissionsFrom,
} from '../../../support/faults-outbox.ts';
import { brokerSays, HOLDS, type OnSend, type TriedRelay, tryRelay } from '../../../support/faults-relay.ts';
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

const nothingWaits = (): Promise<boolean> => waitFor('nothing to wait', () => box.rows.count() === 0);

/** A broker that refuses a batch for the sake of these. */
const refusing =
  (code: string, ...bad: readonly number[]): OnSend =>
  (ids) => {
    if (ids.some((id) => bad.map(uuidNo).includes(id))) throw brokerSays(code);
  };

test.each([
  ['MESSAGE_TOO_LARGE', [17]],
  ['MESSAGE_TOO_LARGE', [1]],
  ['MESSAGE_TOO_LARGE', [50]],
  ['INVALID_RECORD', [1, 2, 25, 26, 49]],
  ['RECORD_LIST_TOO_LARGE', [3, 30]],
])(
  '%s: of fifty rows those and no others are set aside, and every neighbour goes once, in order: %j',
  async (code, bad) => {
    box.append(submissionsFrom(1, 50));
    tried = tryRelay(box.rows, refusing(code, ...bad));
    await nothingWaits();
    expect(listAside(folder.file)).toEqual(
      bad.map((n) => ({
        eventId: uuidNo(n),
        code,
        appendedAtMs: NOON_MS,
        asideAtMs: NOON_MS,
        bytes: expect.any(Number),
      })),
    );
    const others = submissionsFrom(1, 50)
      .map(({ eventId }) => eventId)
      .filter((id) => !bad.map(uuidNo).includes(id));
    expect(tried.acknowledged).toEqual(others);
    expect(box.status()).toMatchObject({ accepted: 50, relayed: 50 - bad.length, setAside: bad.length, waiting: 0 });
    expect(tried.codesOf(HOLDS)).toEqual([]);
  },
);

test('a batch that is too large as a whole goes in parts, and nothing is set aside', async () => {
  box.append(submissionsFrom(1, 100));
  tried = tryRelay(box.rows, (ids) => {
    if (ids.length > 7) throw brokerSays('MESSAGE_TOO_LARGE');
  });
  await nothingWaits();
  expect(tried.acknowledged).toEqual(submissionsFrom(1, 100).map(({ eventId }) => eventId));
  expect(box.status()).toMatchObject({ relayed: 100, setAside: 0 });
});

test('what is set aside goes when it is retried and the broker takes it now; what is given up is gone, its id known', async () => {
  box.append(submissionsFrom(1, 4));
  let bad = [2, 3];
  tried = tryRelay(box.rows, (ids, records) => refusing('MESSAGE_TOO_LARGE', ...bad)(ids, records));
  await nothingWaits();
  bad = [];
  expect(retryAside(folder.file, [uuidNo(2)])).toBe(1);
  await waitFor('the retried row to go', () => tried?.acknowledged.includes(uuidNo(2)));
  await nothingWaits();
  expect(discardAside(folder.file, 'all')).toBe(1);
  expect(box.ids()).toEqual([]);
  expect(box.status()).toMatchObject({ accepted: 4, relayed: 3, discarded: 1, setAside: 0, bytes: 0 });
  expect(box.append([submissionNo(3)])).toMatchObject([{ kept: true }]);
  expect(box.ids()).toEqual([]);
});

test('a retried row that is refused again is set aside again', async () => {
  box.append(submissionsFrom(1, 2));
  tried = tryRelay(box.rows, refusing('MESSAGE_TOO_LARGE', 1));
  await nothingWaits();
  retryAside(folder.file, 'all');
  await waitFor('the second refusal', () => tried?.sends.filter((ids) => ids.includes(uuidNo(1))).length === 3);
  await nothingWaits();
  expect(listAside(folder.file)).toMatchObject([{ eventId: uuidNo(1), code: 'MESSAGE_TOO_LARGE' }]);
});

const PASSING = [
  'INVALID_TIMESTAMP',
  'NOT_ENOUGH_REPLICAS',
  'TOPIC_AUTHORIZATION_FAILED',
  'CORRUPT_MESSAGE',
  'ECONNREFUSED',
  'UNKNOWN',
] as const;
test.each(PASSING)(
  '%s is nobody’s own fault: the relay holds, sets nothing aside, and sends the same rows again',
  async (code) => {
    box.append(submissionsFrom(1, 3));
    let failures = 2;
    tried = tryRelay(box.rows, () => {
      failures -= 1;
      if (failures >= 0) throw brokerSays(code);
    });
    await waitFor('a hold', () => box.status().relay?.state === 'holding');
    expect(box.status()).toMatchObject({ setAside: 0, waiting: 3, relay: { code: 'BROKER_UNREACHABLE' } });
    await nothingWaits();
    expect(tried.sends).toEqual([1, 2, 3].map(() => [1, 2, 3].map(uuidNo)));
    expect(box.status()).toMatchObject({ setAside: 0, relayed: 3, retried: 2 });
    // A connection that failed is given up.
    expect(tried.senders()).toMatchObject({ made: 3, closed: 2 });
  },
);

test('an outage in the midst of looking for the bad one sends nothing twice that was acknowledged', async () => {
  box.append(submissionsFrom(1, 8));
  let isDown = true;
  tried = tryRelay(box.rows, (ids) => {
    if (ids.includes(uuidNo(7))) {
      if (isDown && ids.length <= 4) {
        isDown = false;
        throw brokerSays('ECONNRESET');
      }
      throw brokerSays('MESSAGE_TOO_LARGE');
    }
  });
  await nothingWaits();
  expect(tried.acknowledged).toEqual([1, 2, 3, 4, 5, 6, 8].map(uuidNo));
  expect(box.status()).toMatchObject({ relayed: 7, setAside: 1, retried: 1 });
});

test('rows of a text that nobody ships are set aside, and their neighbours go', async () => {
  box.append([submissionNo(1), { ...submissionNo(2), schemaHash: 'of nobody' }, submissionNo(3)]);
  tried = tryRelay(box.rows, () => {}, {
    schemaIdOf: (hash) => Promise.resolve(hash === 'of nobody' ? undefined : schemaId(7)),
  });
  await nothingWaits();
  expect(tried.acknowledged).toEqual([1, 3].map(uuidNo));
  expect(listAside(folder.file)).toMatchObject([{ eventId: uuidNo(2), code: 'SCHEMA_TEXT_UNKNOWN' }]);
});

test.each([
  ['a topic that is missing', 'TOPIC_MISSING', 'checkTopic'],
  ['a contract that differs', 'CONTRACT_MISMATCH', 'schemaIdOf'],
  ['a registry that is away', 'REGISTRY_UNREACHABLE', 'schemaIdOf'],
] as const)('%s is held for, before anything is sent, and named', async (_, code, part) => {
  box.append(submissionsFrom(1, 3));
  let failures = 2;
  const fails = (): Promise<never> | undefined => {
    failures -= 1;
    return failures >= 0 ? Promise.reject(new StreamError(code, 'made by the test', 'nothing')) : undefined;
  };
  tried = tryRelay(
    box.rows,
    () => {},
    part === 'checkTopic'
      ? { checkTopic: () => fails() ?? Promise.resolve() }
      : { schemaIdOf: () => fails() ?? Promise.resolve(schemaId(7)) },
  );
  await waitFor('the hold', () => box.status().relay?.code === code);
  expect(tried.sends).toEqual([]);
  await nothingWaits();
  expect(tried.codesOf(HOLDS)).toEqual([code, code]);
  expect(tried.sends).toHaveLength(1);
  expect(box.status()).toMatchObject({ relayed: 3, setAside: 0 });
});
