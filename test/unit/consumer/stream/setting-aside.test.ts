/** Whatever is set aside is said and counted by its reason, whoever found it: the judge, or the database alone. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { clashAt, goodAt, openRig, type Rig, wrongAt } from '../../../support/stream-rig.ts';
import { waitFor } from '../../../support/wait-for.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await openRig();
});
afterEach(() => rig.close());

test('a clash, which only the database can tell, as well as a record that cannot be read', async () => {
  const stream = await rig.start();
  const source = await stream.reading(0);
  source.deliver(0, [goodAt(0), clashAt(1, 0), wrongAt(2)]);
  await rig.positionIs(0, 3);
  await waitFor('the flush to be counted', () => stream.progress.snapshot().outcomes.quarantined === 2);
  expect(rig.quarantine()).toEqual(['1 HASH_CLASH', '2 NOT_FRAMED']);
  expect(stream.progress.snapshot().reasons).toEqual(
    new Map([
      ['HASH_CLASH', 1],
      ['NOT_FRAMED', 1],
    ]),
  );
  const said = stream.lines.filter(({ msg }) => msg === 'quarantined a record');
  expect(said.map(({ offset, reason }) => `${offset} ${reason}`)).toEqual(['1 HASH_CLASH', '2 NOT_FRAMED']);
});
