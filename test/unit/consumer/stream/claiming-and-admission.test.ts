/** A partition is claimed, then sought, then read; what a fetch delivers is held against the position. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { kafka } from '../../../../wire/index.ts';
import { goodAt, openRig, type Rig, upTo } from '../../../support/stream-rig.ts';
import { waitFor } from '../../../support/wait-for.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await openRig();
});
afterEach(() => rig.close());

const records = (end: number, from = 0) => upTo(end, from).map(goodAt);

/** A stream that has stored the records 0 to 4 of partition 0 and stopped. */
const afterFive = async (): Promise<void> => {
  const stream = await rig.start();
  const source = await stream.reading(0);
  source.deliver(0, records(5));
  await rig.positionIs(0, 5);
  stream.stop();
  await stream.ended;
};

describe('an assigned partition', () => {
  test('is claimed, then sought, then resumed', async () => {
    await afterFive();
    const stream = await rig.start();
    await stream.reading(0);
    // At the witness, whose record tells whether it is the same log.
    expect(stream.trace).toEqual(['claims 0', 'sought 0 4', 'resumed 0']);
  });

  test('is not read before it is claimed', async () => {
    let answer = (): void => {};
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const stream = await rig.start({
      wrap: (store) => ({ ...store, claim: (key, options) => asked.then(() => store.claim(key, options)) }),
    });
    const source = await stream.source();
    source.assign(0);
    source.deliver(0, records(3));
    expect(stream.trace).toEqual(['claims 0']);
    answer();
    await waitFor('the partition to be read', () => source.isFetching(0));
    expect(source.nextOf(0)).toBe(0);
    source.deliver(0, records(3));
    await rig.positionIs(0, 3);
    expect(rig.counters()).toMatchObject({ stored: 3, duplicate: 0 });
  });

  test('that is given away is not taken any more, and its batches are ignored', async () => {
    const stream = await rig.start();
    const source = await stream.reading(0, 1);
    source.assign(1);
    await waitFor('partition 1 to be read again', () => source.isFetching(1));
    source.deliver(0, records(3));
    source.deliver(1, records(3));
    await rig.positionIs(1, 3);
    expect(rig.position(0)).toBeUndefined();
    expect(rig.rows()).toEqual([0, 1, 2]);
  });

  test('is waited for while the topic is missing, and nothing halts', async () => {
    let isThere = false;
    const stream = await rig.start({
      ends: () => Promise.resolve(isThere ? [{ partition: 0, start: kafka.offset(0), end: kafka.offset(9) }] : []),
    });
    const source = await stream.source();
    source.assign(0);
    await waitFor('a hold that names the command', () =>
      stream.lines.some(({ msg, next }) => msg === 'holds' && next?.includes('deviations topic create')),
    );
    isThere = true;
    await waitFor('the partition to be read', () => source.isFetching(0));
  });
});

describe('a batch', () => {
  test('asked for above the position is dropped and read again from the position', async () => {
    const stream = await rig.start();
    const source = await stream.reading(0);
    source.deliver(0, records(3));
    await rig.positionIs(0, 3);
    source.deliver(0, records(9, 6), { askedFor: kafka.offset(6) });
    await waitFor('the partition to be sought anew', () => source.isFetching(0) && source.nextOf(0) <= 3);
    expect(rig.rows()).toEqual([0, 1, 2]);
    source.deliver(0, records(9, source.nextOf(0)));
    await rig.positionIs(0, 9);
    expect(rig.rows()).toEqual(upTo(9));
    expect(rig.counters()).toMatchObject({ stored: 9, duplicate: 0 });
  });

  test('asked for below the position has the log checked, and nothing of it is taken when it is another log', async () => {
    let log = { partition: 0, start: kafka.offset(0), end: kafka.offset(100) };
    const stream = await rig.start({ ends: () => Promise.resolve([log]) });
    const source = await stream.reading(0);
    source.deliver(0, records(20));
    await rig.positionIs(0, 20);
    log = { ...log, end: kafka.offset(7) };
    source.deliver(
      0,
      records(107, 100).map((record, index) => ({ ...record, offset: kafka.offset(index) })),
      {
        askedFor: kafka.offset(0),
      },
    );
    expect(await stream.ended).toMatchObject({ code: 'HALTED' });
    expect(rig.rows()).toEqual(upTo(20));
    expect(rig.position(0)).toBe(20);
  });

  test('asked for below the position of the same log is read again and stored no second time', async () => {
    const stream = await rig.start();
    const source = await stream.reading(0);
    source.deliver(0, records(20));
    await rig.positionIs(0, 20);
    source.deliver(0, records(10), { askedFor: kafka.offset(0) });
    await waitFor('the partition to be sought anew', () => source.isFetching(0) && source.nextOf(0) >= 19);
    source.deliver(0, records(25, source.nextOf(0)));
    await rig.positionIs(0, 25);
    expect(rig.counters()).toMatchObject({ stored: 25, duplicate: 0 });
  });

  test('with a hole in front is taken, for nobody sought there', async () => {
    const stream = await rig.start();
    const source = await stream.reading(0);
    source.deliver(0, records(3));
    source.deliver(0, records(9, 6));
    await rig.positionIs(0, 9);
    expect(rig.rows()).toEqual([0, 1, 2, 6, 7, 8]);
    expect(stream.trace.filter((what) => what.startsWith('sought'))).toEqual(['sought 0 0']);
  });

  test('of markers alone moves the position, in the database and for the next fetch', async () => {
    const stream = await rig.start();
    const source = await stream.reading(0);
    source.deliver(0, records(3));
    source.pass(0, 7);
    await rig.positionIs(0, 8);
    source.deliver(0, records(10, 8));
    await rig.positionIs(0, 10);
    expect(stream.trace.filter((what) => what.startsWith('claims'))).toEqual(['claims 0']);
    await waitFor('the commit of the end', () => source.told.includes('committed 0 10'));
    expect(rig.counters()).toMatchObject({ stored: 5, filtered: 0 });
  });
});

describe('the witness of a restart', () => {
  test('is read again and stored no second time', async () => {
    await afterFive();
    const stream = await rig.start();
    const source = await stream.reading(0);
    source.deliver(0, records(8, 4));
    await rig.positionIs(0, 8);
    expect(rig.rows()).toEqual(upTo(8));
    expect(rig.counters()).toMatchObject({ stored: 8, duplicate: 0 });
  });

  test('that is another record ends it with the command that decides, and nothing is taken', async () => {
    await afterFive();
    const stream = await rig.start();
    const source = await stream.reading(0);
    source.deliver(0, [{ ...goodAt(4), recordTimeMs: 7 }, goodAt(5)]);
    expect(await stream.ended).toMatchObject({ code: 'HALTED', next: expect.stringContaining('--why recreated') });
    expect(rig.rows()).toEqual(upTo(5));
  });

  test('that is compacted away, or behind markers, holds nothing up', async () => {
    await afterFive();
    const stream = await rig.start();
    const source = await stream.reading(0);
    source.pass(0, 6);
    source.deliver(0, records(9, 7));
    await rig.positionIs(0, 9);
    expect(rig.rows()).toEqual([...upTo(5), 7, 8]);
  });

  test('alone in its batch, with markers behind it, leads to the position without another claim', async () => {
    const first = await rig.start();
    const source = await first.reading(0);
    source.deliver(0, records(5));
    source.pass(0, 9);
    await rig.positionIs(0, 10);
    first.stop();
    await first.ended;
    const stream = await rig.start();
    const again = await stream.reading(0);
    again.deliver(0, [goodAt(4)]);
    // kafkajs fetches behind the last visible record; by now there is a new one behind the markers.
    again.deliver(0, records(12, 10));
    await rig.positionIs(0, 12);
    expect(stream.trace.filter((what) => what.startsWith('claims'))).toEqual(['claims 0']);
  });
});

describe('the log under a running consumer', () => {
  const claims = (trace: readonly string[]): readonly string[] => trace.filter((what) => what.startsWith('claims'));

  /** The records 0 to 7 are stored, and the witness of the first flush, at 4, is asked for again. */
  const askedAgain = async () => {
    const stream = await rig.start({ watchMs: 20 });
    const source = await stream.reading(0);
    source.deliver(0, records(5));
    await rig.positionIs(0, 5);
    source.deliver(0, records(8, 5));
    await rig.positionIs(0, 8);
    await waitFor('the witness to be sought', () => source.nextOf(0) === 4);
    return { stream, source };
  };

  test('is recognised again and again, each time by a later record, without another claim', async () => {
    const { stream, source } = await askedAgain();
    source.deliver(0, records(6, 4));
    await waitFor('the position to be sought', () => source.nextOf(0) === 8);
    source.deliver(0, records(10, 8));
    await rig.positionIs(0, 10);
    await waitFor('the next witness to be sought', () => source.nextOf(0) === 7);
    expect(rig.rows()).toEqual(upTo(10));
    expect(rig.counters()).toMatchObject({ stored: 10, duplicate: 0 });
    expect(claims(stream.trace)).toEqual(['claims 0']);
  });

  test('may deliver once more from the position while the witness is on its way', async () => {
    const { stream, source } = await askedAgain();
    source.deliver(0, records(9, 8), { askedFor: kafka.offset(8) });
    await rig.positionIs(0, 9);
    expect(claims(stream.trace)).toEqual(['claims 0']);
  });

  test('that was made anew and filled past the position unseen ends it, and the next start too', async () => {
    const anew = [{ ...goodAt(4), recordTimeMs: 7 }, ...records(9, 5)];
    const { stream, source } = await askedAgain();
    source.deliver(0, anew);
    expect(await stream.ended).toMatchObject({ code: 'HALTED', next: expect.stringContaining('--why recreated') });
    const next = await rig.start();
    (await next.reading(0)).deliver(0, anew);
    expect(await next.ended).toMatchObject({ code: 'HALTED', next: expect.stringContaining('--why recreated') });
    expect(rig.rows()).toEqual(upTo(8));
  });

  test('is not asked for what retention has taken', async () => {
    let looks = 0;
    let start = 0;
    const stream = await rig.start({
      watchMs: 20,
      ends: () => {
        looks += 1;
        return Promise.resolve([{ partition: 0, start: kafka.offset(start), end: kafka.offset(100) }]);
      },
    });
    const source = await stream.reading(0);
    source.deliver(0, records(5));
    await rig.positionIs(0, 5);
    start = 7;
    source.deliver(0, records(8, 5));
    await rig.positionIs(0, 8);
    const before = looks;
    await waitFor('the log to be looked at', () => looks > before + 2);
    expect(source.nextOf(0)).toBe(8);
    source.deliver(0, records(10, 8));
    await waitFor('the later witness to be sought', () => source.nextOf(0) === 7);
  });
});

const goBackToTwo = async (): Promise<void> => {
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(rig.file, { timeout: 5_000 });
  database.exec(
    'update stream_positions set next_offset = 2, witness = null; delete from session_events where log_offset >= 2',
  );
  database.close();
};

test.each([
  ['by the next flush', 60_000, 7],
  ['though nothing more comes', 20, 5],
])('a database that went back is read again from its older position, %s', async (_, watchMs, end) => {
  const stream = await rig.start({ watchMs });
  const source = await stream.reading(0);
  source.deliver(0, records(5));
  await rig.positionIs(0, 5);
  await goBackToTwo();
  if (end > 5) source.deliver(0, records(end, 5));
  await waitFor('the older position to be sought', () => source.isFetching(0) && source.nextOf(0) === 2);
  source.deliver(0, records(end, 2));
  await rig.positionIs(0, end);
  expect(rig.rows()).toEqual(upTo(end));
});
