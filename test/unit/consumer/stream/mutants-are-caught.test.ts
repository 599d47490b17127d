/**
 * Builds that break one rule of the consumers, made by injection. Each scenario is run on the build as it is, where it finds
 * nothing, and on the mutant, where it must: else the tests of these rules could not fail.
 */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { FlushRequest, Store } from '../../../../consumer/index.ts';
import { kafka, StreamError } from '../../../../wire/index.ts';
import {
  flushing,
  goodAt,
  openRig,
  type Rig,
  type SourceAtHand,
  type StreamUnderTest,
  TOPIC,
  upTo,
} from '../../../support/stream-rig.ts';
import { select } from '../../../support/stack-database.ts';
import { waitFor } from '../../../support/wait-for.ts';

type Wrap = (store: Store) => Store;
const asItIs: Wrap = (store) => store;
const compose =
  (inner: Wrap, outer: Wrap): Wrap =>
  (store) =>
    outer(inner(store));

let rig: Rig;
beforeEach(async () => {
  rig = await openRig();
});
afterEach(() => rig.close());

const records = (end: number, from = 0) => upTo(end, from).map(goodAt);
const KEY = { consumer: 'sink', topic: TOPIC, partition: 0 } as const;

/** What is wrong, or undefined. */
type Finding = string | undefined;

/** The flush, made to fit the epoch and the position that stand there: its rows are written once more. */
const fitted = (request: FlushRequest, epoch: number, position: bigint | undefined): FlushRequest => ({
  ...request,
  epoch,
  fromOffset: position === undefined ? undefined : kafka.offset(position),
  nextOffset: kafka.offset(
    position === undefined || position < request.nextOffset ? request.nextOffset : position + 1n,
  ),
});

/** A frozen sink wakes up when another one has its partition and has read on. */
const afterAFreeze = async (wrapOfFrozen: Wrap): Promise<Finding> => {
  const frozen = await rig.start({ wrap: wrapOfFrozen });
  const stale = await frozen.reading(0);
  stale.deliver(0, records(3));
  await rig.positionIs(0, 3);
  const owning = await rig.start();
  const owner = await owning.reading(0);
  owner.deliver(0, records(9, owner.nextOf(0)));
  await rig.positionIs(0, 9);
  stale.deliver(0, records(6, 3));
  await waitFor('the late flush to be over', () => stale.isStopped() || stale.told.includes('committed 0 6'));
  owner.deliver(0, records(12, 9));
  await waitFor(
    'the owner to go on, or to be disturbed',
    () => owner.isStopped() || claimsOf(owning) > 1 || rig.position(0) === 12,
  );
  if (owner.isStopped()) return 'the owner was driven out';
  if (claimsOf(owning) > 1) return 'the position was moved under the owner';
  return rig.counters().duplicate > 0 ? 'records were counted twice' : undefined;
};

const withoutEpochCheck: Wrap = flushing((request, really) => {
  const [row] = select(rig.file, 'select epoch, next_offset from stream_positions where partition = 0');
  const position = row?.next_offset;
  return really(fitted(request, Number(row?.epoch), typeof position === 'number' ? BigInt(position) : undefined));
});

const claimsAgain: Wrap = (store) => ({
  ...store,
  flush: async (request) => {
    const answer = await store.flush(request);
    if (answer.kind !== 'epoch-lost') return answer;
    const { epoch, position } = await store.claim(KEY);
    return store.flush(fitted(request, epoch, position));
  },
});

/** The database is away for three attempts. */
const throughAnOutage = async (mutant: Wrap): Promise<Finding> => {
  let attempts = 0;
  const away = flushing((request, really) => {
    attempts += 1;
    return attempts <= 3 ? Promise.reject(new StreamError('DATABASE_UNREACHABLE', 'a test', 'Wait')) : really(request);
  });
  const stream = await rig.start({ wrap: compose(away, mutant) });
  const source = await stream.reading(0);
  source.deliver(0, records(6));
  await rig.positionIs(0, 6);
  return rig.quarantine().length > 0 ? `quarantined: ${rig.quarantine().join()}` : undefined;
};

const quarantinesOnAnyError: Wrap = flushing(async (request, really) => {
  try {
    return await really(request);
  } catch {
    const quarantine = [...request.rows].map(({ offset, schemaId, size, recordTimeMs }) => ({
      offset,
      schemaId,
      size,
      recordTimeMs,
      reason: 'ROW_REFUSED' as const,
    }));
    for (;;) {
      const answer = await really({ ...request, rows: [], quarantine }).catch(() => undefined);
      if (answer !== undefined) return answer;
    }
  }
});

/** Whether the group ever hears of an offset that the database does not have. */
const watchingTheCommits = async (commitFirst: boolean): Promise<Finding> => {
  const found: string[] = [];
  const at: { source?: SourceAtHand } = {};
  const stream = await rig.start({
    onTold: (what) => {
      const [, offset] = /^committed 0 (\d+)$/.exec(what) ?? [];
      if (offset !== undefined && Number(offset) > (rig.position(0) ?? 0)) found.push(what);
    },
    wrap: flushing(async (request, really) => {
      if (commitFirst) await at.source?.source.commit(request.partition, request.nextOffset);
      return really(request);
    }),
  });
  const source = await stream.reading(0);
  at.source = source;
  source.deliver(0, records(6));
  await waitFor('the commit', () => source.told.includes('committed 0 6'));
  await rig.positionIs(0, 6);
  return found.length > 0 ? `ahead of the database: ${found.join()}` : undefined;
};

/** A batch with a hole in front, held against the offset its fetch asked for, or, by the mutant, against its first record. */
const overAHole = async (seeksBack: boolean): Promise<Finding> => {
  const stream: StreamUnderTest = await rig.start();
  const source = await stream.reading(0);
  source.deliver(0, records(3));
  await rig.positionIs(0, 3);
  for (let fetched = 0; fetched < 3 && rig.position(0) !== 9; fetched += 1) {
    await waitFor('the partition to be fetched', () => source.isFetching(0));
    source.deliver(0, records(9, 6), seeksBack ? { askedFor: kafka.offset(6) } : {});
    await waitFor('the batch to be taken, or dropped', () => rig.position(0) === 9 || claimsOf(stream) > fetched + 1);
  }
  return claimsOf(stream) > 1 ? `read again and again: ${claimsOf(stream)} claims` : undefined;
};

const claimsOf = (stream: StreamUnderTest): number => stream.trace.filter((what) => what.startsWith('claims')).length;

test.each<[string, () => Promise<Finding>, () => Promise<Finding>]>([
  ['no epoch check', () => afterAFreeze(asItIs), () => afterAFreeze(withoutEpochCheck)],
  ['a claim again on the loss of an epoch', () => afterAFreeze(asItIs), () => afterAFreeze(claimsAgain)],
  ['quarantine on any error', () => throughAnOutage(asItIs), () => throughAnOutage(quarantinesOnAnyError)],
  ['the commit to the group first', () => watchingTheCommits(false), () => watchingTheCommits(true)],
  ['seeking back on holes', () => overAHole(false), () => overAHole(true)],
])('%s is noticed', async (_, onTheBuild, onTheMutant) => {
  expect(await onTheBuild()).toBeUndefined();
  await rig.close();
  rig = await openRig();
  expect(await onTheMutant()).toEqual(expect.any(String));
});
