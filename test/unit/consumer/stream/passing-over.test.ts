/** What is passed over is counted and moves the position, at the cost of a flush now and then. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { FlushRequest } from '../../../../consumer/index.ts';
import { kafka } from '../../../../wire/index.ts';
import { aRecordOf, IDS, withBody } from '../../../support/records.ts';
import { flushing, goodAt, openRig, type Rig, upTo } from '../../../support/stream-rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await openRig();
});
afterEach(() => rig.close());

const A_FACT = aRecordOf('anamnese.fact_accepted');
const foreignAt = (at: number): kafka.SourceRecord => ({ ...A_FACT, offset: kafka.offset(at) });

const startCounting = async () => {
  const flushed: FlushRequest[] = [];
  const stream = await rig.start({
    wrap: flushing((request, really) => {
      flushed.push(request);
      return really(request);
    }),
  });
  return { flushed, source: await stream.reading(0) };
};

test('fetches of foreign types alone are flushed together, counted, and leave no lag', async () => {
  const { flushed, source } = await startCounting();
  for (const from of upTo(20)) {
    source.deliver(0, upTo(from * 100 + 100, from * 100).map(foreignAt));
    await source.taken();
  }
  await rig.positionIs(0, 2_000);
  expect(flushed).toHaveLength(1);
  expect(rig.counters()).toMatchObject({ stored: 0, filtered: 2_000, quarantined: 0 });
});

test('a row takes along what was passed over before it, and does not wait for it', async () => {
  const { flushed, source } = await startCounting();
  source.deliver(0, upTo(10).map(foreignAt));
  source.deliver(0, [foreignAt(10), goodAt(11), foreignAt(12)]);
  await rig.positionIs(0, 13);
  expect(flushed).toHaveLength(1);
  expect(rig.rows()).toEqual([11]);
  expect(rig.counters()).toMatchObject({ stored: 1, filtered: 12, quarantined: 0 });
});

test('each slice of many rows counts what was passed over between its own', async () => {
  const { flushed, source } = await startCounting();
  const many = upTo(6_000);
  source.deliver(
    0,
    many.map((at) => (at % 2 === 0 ? foreignAt(at) : goodAt(at))),
  );
  await rig.positionIs(0, 6_000);
  expect(flushed.map(({ nextOffset }) => Number(nextOffset))).toEqual([4_000, 6_000]);
  expect(flushed.map(({ filtered }) => filtered)).toEqual([2_000, 1_000]);
  expect(rig.counters()).toMatchObject({ stored: 3_000, filtered: 3_000 });
});

test('what only looks foreign is not passed over: an unknown id, and a header that claims the type', async () => {
  const { source } = await startCounting();
  const { value } = withBody(IDS.unknown, Buffer.from('body'));
  source.deliver(0, [{ ...foreignAt(0), value }, { ...goodAt(1), value: A_FACT.value }, foreignAt(2)]);
  await rig.positionIs(0, 3);
  expect(rig.quarantine()).toEqual(['0 SCHEMA_UNKNOWN', '1 TYPE_DISAGREES']);
  expect(rig.counters()).toMatchObject({ filtered: 1, quarantined: 2 });
});
