import { describe, expect, test } from '@jest/globals';
import { kafka, type StreamError } from '../../../../wire/index.ts';
import {
  checkWitness,
  isHalt,
  isPoisoned,
  poisoned,
  startOf,
  usableWitness,
} from '../../../../consumer/stream/lost-position.ts';
import { witnessOf } from '../../../../consumer/stream/witness.ts';
import { goodAt, TOPIC, wrongAt } from '../../../support/stream-rig.ts';

const KEY = { consumer: 'sink', topic: TOPIC, partition: 3 } as const;
const at = kafka.offset;
const ends = (start: number, end: number): kafka.PartitionEnds => ({ partition: 3, start: at(start), end: at(end) });
const start = (position: number | undefined, log: kafka.PartitionEnds | undefined, committed?: number) =>
  startOf(
    KEY,
    { position: position === undefined ? undefined : at(position) },
    log,
    committed === undefined ? undefined : at(committed),
  );

/** What it throws, which must be a StreamError. */
const thrown = (work: () => unknown): StreamError => {
  try {
    work();
  } catch (error) {
    return error as StreamError; // whatever else it is has no code and fails the test
  }
  throw new Error('nothing was thrown');
};

describe('where to read on', () => {
  test.each([
    ['at the position', 7, ends(0, 10), undefined, 7n],
    ['at the position when it is the end', 10, ends(0, 10), undefined, 10n],
    ['at the position when it is the start', 5, ends(5, 10), undefined, 5n],
    ['at the position, whatever the group has committed', 7, ends(0, 10), 9, 7n],
    ['at the first record there is, without position and commit', undefined, ends(5, 10), undefined, 5n],
    ['at the start, when the group has committed only that nothing was read', undefined, ends(0, 10), 0, 0n],
  ])('is %s', (_, position, log, committed, expected) => {
    expect(start(position, log, committed)).toBe(expected);
  });

  test.each([
    ['the log ends before the position', 11, ends(0, 10), undefined, /ends at offset 10.*stored position 11/],
    ['the log starts behind the position', 4, ends(5, 10), undefined, /starts at offset 5.*stored position 4/],
    ['the log is empty behind the position', 4, ends(10, 10), undefined, /starts at offset 10.*stored position 4/],
    ['the group has read what the database does not know', undefined, ends(0, 10), 7, /up to offset 7 by this group/],
    ['retention took what the group had read', undefined, ends(7, 10), 7, /up to offset 7 by this group/],
  ])('is nowhere when %s, and the gap is named with the command that decides', (_, position, log, committed, where) => {
    const error = thrown(() => start(position, log, committed));
    expect(error).toMatchObject({ code: 'HALTED', exitCode: 5, retriable: false });
    expect(isHalt(error)).toBe(true);
    expect(error.where).toMatch(/^session-events partition 3 /);
    expect(error.where).toMatch(where);
    expect(error.next).toMatch(/deviations position adopt --consumer sink --partition 3 --why [a-z-]+$/);
  });

  test('is to be waited for when there is no such partition', () => {
    const error = thrown(() => start(7, undefined));
    expect(error).toMatchObject({ code: 'TOPIC_MISSING', retriable: true });
    expect(error.next).toContain('deviations topic create');
    expect(isHalt(error)).toBe(false);
  });
});

describe('the witness', () => {
  const witness = witnessOf(goodAt(6));

  test.each([
    ['is of use while its record is in the log', 7, ends(0, 10), true],
    ['is of use as the first record that is left', 7, ends(6, 10), true],
    ['is of none once retention took its record', 7, ends(7, 10), false],
    ['is of none when it is not behind the position', 6, ends(0, 10), false],
  ])('%s', (_, position, log, isOfUse) => {
    expect(usableWitness(witness, at(position), log)).toEqual(isOfUse ? witness : undefined);
  });

  test('knows its record again', () => {
    expect(() => checkWitness(KEY, witness, [goodAt(5), goodAt(6), goodAt(7)])).not.toThrow();
  });

  test('says nothing when its record is compacted away', () => {
    expect(() => checkWitness(KEY, witness, [goodAt(7)])).not.toThrow();
    expect(() => checkWitness(KEY, witness, [])).not.toThrow();
  });

  test.each([
    ['time', { ...goodAt(6), recordTimeMs: 1 }],
    ['key', { ...goodAt(6), key: null }],
    ['size', wrongAt(6)],
  ])('halts on a record of another %s at its offset', (_, other) => {
    const error = thrown(() => checkWitness(KEY, witness, [other]));
    expect(error).toMatchObject({ code: 'HALTED' });
    expect(error.message).toMatch(/offset 6.*deviations position adopt --consumer sink --partition 3 --why recreated/);
  });
});

describe('poison', () => {
  test.each([
    [2_000, 2_000, true],
    [1_999, 1_999, false],
    [4_000, 2_000, false],
    [3_999, 2_000, true],
    [0, 0, false],
  ])('of %i records %i wrong: %s', (consumed, quarantined, isIt) => {
    expect(isPoisoned({ consumed, quarantined })).toBe(isIt);
  });

  test('is said with both figures and the command that goes on', () => {
    const error = poisoned(KEY, { consumed: 2_500, quarantined: 2_400 });
    expect(error).toMatchObject({ code: 'HALTED', exitCode: 5 });
    expect(error.message).toMatch(/2400 of 2500.*deviations sink --accept-quarantine/);
  });
});
