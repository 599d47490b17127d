/** PostgreSQL's COMMIT, or its answer to it, gets lost with the connection, at random: what was written is written once. */
import { expect } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeSinkFault, FAULT_LIMIT_MS, type SinkScenario } from '../support/faults-sink-fault.ts';
import { SHAPE_PLAIN } from '../support/faults-sink-load.ts';
import { type LostCommit, startPostgresProxy } from '../support/faults-sink-postgres-proxy.ts';

const fault = describeSinkFault('commit-answer-lost', { stores: ['postgres'] });

let lostInAll = 0;

const losing =
  (decide: (chance: (probability: number) => boolean) => LostCommit | undefined): SinkScenario =>
  async (place, start) => {
    const { rng, load, database } = place;
    const proxy = await startPostgresProxy(database.url);
    try {
      proxy.lose(() => decide(rng.chance));
      await load.write(rng.between(1, 500));
      const sink = start({ env: { DATABASE_URL: proxy.urlOf(database.url) } });
      for (let waves = rng.between(2, 5); waves > 0; waves -= 1) {
        await load.write(rng.between(1, 200));
        await sleep(rng.between(0, 150));
        await place.look();
      }
      await place.caughtUp([sink]);
      // The database may be caught up while the sink does not know it: what comes now waits behind its second try.
      await load.write(60);
      await place.caughtUp([sink]);
      await place.stop(sink);
      lostInAll += proxy.lost();
    } finally {
      await proxy.stop();
    }
  };

fault.test(
  'every record has its one outcome',
  async () => {
    await fault.seeds(
      losing((chance) => {
        if (!chance(0.4)) return undefined;
        return chance(0.7) ? 'answer' : 'request';
      }),
    );
    expect(lostInAll).toBeGreaterThan(0);
  },
  FAULT_LIMIT_MS,
);

/** The first of them alone. */
const losingOne =
  (what: LostCommit): SinkScenario =>
  (place, start) => {
    const left = [what];
    return losing(() => left.pop())(place, start);
  };

fault.test(
  'a build that quarantines on any error is caught: good records are in the quarantine',
  async () => {
    const answer = fault.isCaught('quarantines on any error', losingOne('request'), { shape: SHAPE_PLAIN });
    expect(await answer).toBe(true);
  },
  FAULT_LIMIT_MS,
);

fault.test(
  'a build that writes again what was written is caught: its counters do not add up',
  async () => {
    const answer = fault.isCaught('writes again what was written', losingOne('answer'), { shape: SHAPE_PLAIN });
    expect(await answer).toBe(true);
  },
  FAULT_LIMIT_MS,
);
