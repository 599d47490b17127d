/** A sink is killed at every moment that has a name, and at others, while records come: one row per record, and no gap. */
import { expect } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeSinkFault, FAULT_LIMIT_MS, type SinkScenario } from '../support/faults-sink-fault.ts';
import { SHAPE_PLAIN } from '../support/faults-sink-load.ts';
import { MOMENTS } from '../support/faults-sink-moments.ts';
import { waitFor } from '../support/wait-for.ts';

const fault = describeSinkFault('sink-killed');

/** SQLite cannot drop a key: the table is made anew without it, behind the backs of its views. */
const WITHOUT_KEY = `
  pragma legacy_alter_table = on;
  create table keyless as select * from session_events;
  drop table session_events;
  alter table keyless rename to session_events`;

const scenario: SinkScenario = async (place, start) => {
  const { rng, load } = place;
  await load.write(rng.between(1, 600));
  for (let kills = rng.between(1, 2); kills > 0; kills -= 1) {
    const stopLoading = load.writeOn(rng);
    const blow = { moment: rng.pick(MOMENTS), nth: rng.between(1, 4), signal: 'SIGKILL' } as const;
    const sink = start(rng.chance(0.8) ? { blow } : {});
    // Its moment may never come, or not that often.
    const deadline = performance.now() + rng.between(300, 1_500);
    await waitFor('its death, or its time', () => !sink.isRunning() || performance.now() > deadline);
    if (sink.isRunning()) sink.kill(blow.moment === 'before-leaving' ? 'SIGTERM' : 'SIGKILL');
    await sink.ended();
    await stopLoading();
    await place.look();
    if (rng.chance(0.3)) await sleep(rng.between(0, 300));
  }
  await load.write(rng.between(1, 300));
  const last = start();
  await place.caughtUp([last]);
  await place.stop(last);
};

fault.test(
  'every record has its one outcome',
  async () => {
    expect(await fault.seeds(scenario)).toMatchObject({ seeds: expect.any(Number) });
  },
  FAULT_LIMIT_MS,
);

/** The group hears of it before the database, and the sink dies in between. */
const dyingInBetween: SinkScenario = async ({ load, look }, start) => {
  await load.write(400);
  await start({ blow: { moment: 'before-the-database-commit', nth: 1, signal: 'SIGKILL' } }).ended();
  await look();
};

fault.test(
  'a build that commits to the group first is caught: the group is ahead of the database',
  async () => {
    const { ahead } = await fault.mutant('commits to the group first', dyingInBetween);
    expect(ahead).not.toEqual([]);
  },
  FAULT_LIMIT_MS,
);

const REPEATED = { ...SHAPE_PLAIN, repeats: 0.5 };
/** Not all in one flush, which tells the repeats within it by itself. */
const readInTwo: SinkScenario = async (place, start) => {
  const sink = start();
  for (const wave of [1, 2]) {
    await place.load.write(200 * wave);
    await place.caughtUp([sink]);
  }
  await place.stop(sink);
};

fault.test(
  'a build without the unique key is caught: ids are there twice',
  async () => {
    for (const [store, dropKey] of [
      ['postgres', 'alter table session_events drop constraint session_events_pkey'],
      ['sqlite', WITHOUT_KEY],
    ] as const) {
      const { doubled } = await fault.mutant(
        'has no unique key',
        async (place, start) => {
          await place.database.run(dropKey);
          await readInTwo(place, start);
        },
        { store, shape: REPEATED },
      );
      expect(doubled).not.toEqual([]);
    }
  },
  FAULT_LIMIT_MS,
);

fault.test(
  'a build that starts at the latest is caught: records are missing',
  async () => {
    const { missing } = await fault.mutant('starts at the latest', async (place, start) => {
      await place.load.write(200);
      const sink = start();
      await sink.logged('claimed a partition', { partition: 0 });
      await place.stop(sink);
    });
    expect(missing).not.toEqual([]);
  },
  FAULT_LIMIT_MS,
);

const HOLES = { ...SHAPE_PLAIN, aborted: 1 };

fault.test(
  'a build that seeks back on holes is caught: it never gets behind them',
  async () => {
    const { missing } = await fault.mutant(
      'seeks back on holes',
      async (place, start) => {
        const sink = start();
        for (const wave of [1, 2, 3]) await place.load.write(20 * wave);
        const isRead = await place.caughtUp([sink], 4_000).then(
          () => true,
          () => false,
        );
        expect(isRead).toBe(false);
        await place.stop(sink);
      },
      { shape: HOLES },
    );
    expect(missing).not.toEqual([]);
  },
  FAULT_LIMIT_MS,
);
