/** The disk under the table is full: the sink holds and says so, sets nothing aside, and goes on once there is room. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { migrate } from '../../consumer/index.ts';
import { type OwnPostgres, startPostgres } from '../support/embedded-postgres.ts';
import { mountSmallDisk, noMounts, type SmallDisk, unless } from '../support/faults-places.ts';
import { writeTo } from '../support/foreign-writer.ts';
import { select, type SqlRow } from '../support/stack-database.ts';
import { deviationsFrom, recordsOf } from '../support/stack-events.ts';
import { enterScene, type Scene } from '../support/stack-scene.ts';
import { endsOf } from '../support/topics.ts';
import { waitFor } from '../support/wait-for.ts';

const DISK_BYTES = 24_000_000;
const WAVE = 1_500;

let scene: Scene;
let server: OwnPostgres;
let disk: SmallDisk;
beforeAll(async () => {
  if (noMounts !== undefined) return;
  [scene, server] = await Promise.all([enterScene('a-full-disk', { partitions: 1 }), startPostgres()]);
});
afterAll(async () => {
  if (noMounts !== undefined) return;
  await scene.leave();
  await server.remove();
});

interface Database {
  readonly url: string;
  readonly select: (sql: string) => Promise<readonly SqlRow[]>;
}

const sqliteOnDisk = async (): Promise<Database> => {
  const file = join(disk.path, 'session-events.db');
  await migrate({ url: `sqlite:${file}` });
  return { url: `sqlite:${file}`, select: (sql) => Promise.resolve(select(file, sql)) };
};

/** The rows on the small disk; the log of the server, which must not fill up, elsewhere. */
const postgresOnDisk = async (): Promise<Database> => {
  const database = await server.createDatabase();
  await migrate({ url: database.url });
  const folder = join(disk.path, 'tablespace');
  mkdirSync(folder);
  // The server refuses to run as root and has a user of its own then.
  if (process.getuid?.() === 0) execFileSync('chown', ['postgres', folder]);
  await database.select(`create tablespace small location '${folder}'`);
  await database.select('alter table session_events set tablespace small');
  return database;
};

let published = 0;
const publish = async (): Promise<void> => {
  await writeTo(scene.topic, await recordsOf(deviationsFrom(published + 1, WAVE)));
  published += WAVE;
};

const onDisk = unless(noMounts, 'a full disk under the sink', test);

onDisk.each([
  ['SQLite', sqliteOnDisk],
  ['PostgreSQL', postgresOnDisk],
] as const)('%s on a disk that fills up', async (name, open) => {
  disk = mountSmallDisk(DISK_BYTES);
  try {
    const database = await open();
    if (published === 0) await publish();
    const sink = scene.start(['sink', '--group', `${scene.groups.sink}-${name.toLowerCase()}`], {
      DATABASE_URL: database.url,
    });
    scene.alsoRemove({ groups: [`${scene.groups.sink}-${name.toLowerCase()}`] });
    const caughtUp = async (): Promise<void> => {
      const end = String((await endsOf(scene.topic)).get(0));
      await waitFor(
        'the position to be the end of the log',
        async () => String((await database.select('select next_offset from stream_positions'))[0]?.next_offset) === end,
        { seen: sink.stderr },
      );
    };
    await caughtUp();
    disk.fill();
    await publish();
    await waitFor(
      'a hold that names the disk',
      () => sink.log().some(({ msg, where }) => msg === 'holds' && String(where).includes('(disk full)')),
      { seen: sink.stderr },
    );
    expect(await database.select('select * from quarantine')).toEqual([]);
    disk.empty();
    await caughtUp();
    expect((await database.select('select id from session_events order by id')).map(({ id }) => id)).toEqual(
      deviationsFrom(1, published).map(({ event }) => event.eventId),
    );
    expect(await database.select('select * from quarantine')).toEqual([]);
    expect(sink.log().filter(({ msg }) => msg === 'claimed a partition')).toHaveLength(1);
    sink.kill('SIGTERM');
    expect(await sink.ended()).toMatchObject({ code: 0 });
  } finally {
    disk.remove();
  }
});
