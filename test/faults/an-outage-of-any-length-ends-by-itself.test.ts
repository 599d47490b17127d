/**
 * Database, registry and broker, each away under a running sink of its own, side by side: it waits, keeps its membership or
 * joins once more, and has lost and set aside nothing. `npm run faults -- --only outage --away 600` takes ten minutes.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { migrate } from '../../consumer/index.ts';
import type { Server } from '../../stack/index.ts';
import { type OwnDatabase, type OwnPostgres, startPostgres } from '../support/embedded-postgres.ts';
import { type Outage, runOutage } from '../support/faults-outage.ts';
import { noServers, startOwn } from '../support/faults-servers.ts';
import { tellTally } from '../support/faults-tries.ts';
import { REPOSITORY } from '../support/processes.ts';
import { select } from '../support/stack-database.ts';
import { enterScene, type Scene } from '../support/stack-scene.ts';
import { brokers, createTopic, registryUrl } from '../support/topics.ts';

const AWAY_SECONDS = Number(process.env['FAULT_AWAY_SECONDS'] ?? 5);
const SHORT_SESSION = join(REPOSITORY, 'test', 'support', 'sink-with-a-short-session.ts');
const MOST_OF_A_SHORT_SESSION = 6;
const LIMIT_MS = 300_000 + AWAY_SECONDS * 1_500;

if (noServers !== undefined) process.stderr.write(`an outage of any length: skipped, ${noServers}\n`);
const describeIt = noServers === undefined ? describe : describe.skip;

let server: OwnPostgres;
let database: OwnDatabase;
let broker: Server;
let registry: Server;
const scenes: Scene[] = [];

beforeAll(async () => {
  if (noServers !== undefined) return;
  [server, broker, registry] = await Promise.all([startPostgres(), startOwn('broker'), startOwn('registry')]);
  database = await server.createDatabase();
  await migrate({ url: database.url });
}, 120_000);

afterAll(async () => {
  if (noServers !== undefined) return;
  await Promise.all(scenes.map((scene) => scene.leave()));
  await Promise.all([server.remove(), broker.stop(), registry.stop()]);
}, 120_000);

type Taken = Pick<Outage, 'takeAway' | 'giveBack'> & Partial<Pick<Outage, 'broker' | 'registryUrl' | 'select'>>;

const outageOf = async (name: Outage['name'], env: Readonly<Record<string, string>>, taken: Taken): Promise<Outage> => {
  const scene = await enterScene(`outage-${name}`, { partitions: 2 });
  scenes.push(scene);
  if (taken.broker !== undefined) await createTopic(scene.topic, 2, taken.broker);
  if (taken.registryUrl !== undefined)
    expect(await scene.run(['schema', 'register'], '', env)).toMatchObject({ code: 0 });
  // A broker that comes back waits for the members it knew: for half a minute by default, so a short run is given less.
  const sink =
    AWAY_SECONDS < 60
      ? scene.startScript(SHORT_SESSION, [scene.groups.sink, '6000'], env)
      : scene.start(['sink', '--group', scene.groups.sink], env);
  await sink.logged('claimed a partition');
  return {
    name,
    topic: scene.topic,
    broker: brokers(),
    registryUrl: registryUrl(),
    sink,
    // A session that short may end by a heartbeat that is late on a busy machine.
    mostClaims: AWAY_SECONDS < 60 ? MOST_OF_A_SHORT_SESSION : name === 'broker' ? 2 : 1,
    select: (sql) => Promise.resolve(select(join(scene.folder, 'session-events.db'), sql)),
    ...taken,
  };
};

describeIt(`away for ${AWAY_SECONDS} s`, () => {
  const results = new Map<string, Promise<unknown>>();
  beforeAll(async () => {
    const outages = await Promise.all([
      outageOf(
        'database',
        { DATABASE_URL: database.url },
        {
          select: (sql) => database.select(sql),
          takeAway: () => server.stopServer(),
          giveBack: () => server.startServer(),
        },
      ),
      // Frozen: connections are taken and nothing answers.
      outageOf(
        'registry',
        { SCHEMA_REGISTRY_URL: registry.address },
        {
          registryUrl: registry.address,
          takeAway: () => registry.pause(),
          giveBack: () => registry.resume(),
        },
      ),
      outageOf(
        'broker',
        { KAFKA_BROKERS: broker.address },
        {
          broker: broker.address,
          takeAway: () => broker.kill(),
          giveBack: () => broker.restart(),
        },
      ),
    ]);
    for (const outage of outages) {
      const result = runOutage(outage, AWAY_SECONDS);
      result.catch(() => {});
      results.set(outage.name, result);
    }
  }, 120_000);

  test.each(['database', 'registry', 'broker'])(
    'the %s comes back: everything is stored once, nothing set aside, and no hand was needed',
    async (name) => {
      tellTally(`outage-${name}`, (await results.get(name)) as Parameters<typeof tellTally>[1]); // put there above
    },
    LIMIT_MS,
  );
});
