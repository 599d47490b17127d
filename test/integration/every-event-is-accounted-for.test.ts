/** `verify` on either store: what arrived exactly once passes; what is missing, doubled or wrong is named by its place. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { migrate, openReader } from '../../consumer/index.ts';
import type { AgentDeviation } from '../../schemas/index.ts';
import { uuidNo } from '../support/builders.ts';
import { type OwnPostgres, startPostgres } from '../support/embedded-postgres.ts';
import { readTopic } from '../support/foreign-reader.ts';
import { writeTo } from '../support/foreign-writer.ts';
import { isKcatHere, listWithKcat } from '../support/kcat.ts';
import { linesOf, type RunningProcess } from '../support/processes.ts';
import { type Ran, runCli } from '../support/run-cli.ts';
import { goldenScreens } from '../support/screens.ts';
import { caughtUp } from '../support/stack-database.ts';
import { deviationNo, deviationsFrom, projectablesFrom, recordsOf, type TypedEvent } from '../support/stack-events.ts';
import { enterScene, type Scene } from '../support/stack-scene.ts';
import { asAdmin, createTopic, endsOf } from '../support/topics.ts';
import { waitFor } from '../support/wait-for.ts';

const GOOD = 300;
const REPEATED = 12;
const FOREIGN = 5;
const UNREAD = 4;

let scene: Scene;
let server: OwnPostgres;
beforeAll(async () => {
  [scene, server] = await Promise.all([enterScene('accounted-for', { partitions: 1 }), startPostgres()]);
});
afterAll(async () => {
  await scene.leave();
  await server.remove();
});

const objects = (text: string): readonly Record<string, unknown>[] =>
  linesOf(text).map((line) => JSON.parse(line) as Record<string, unknown>); // lines of ndjson

describe.each(['SQLite', 'PostgreSQL'] as const)('on %s', (storeName) => {
  let url: string;
  let topic: string;
  let group: string;
  let execute: (sql: string) => Promise<unknown>;

  const env = () => ({ ...scene.env, DATABASE_URL: url, SESSION_EVENTS_TOPIC: topic });
  const verify = (...flags: readonly string[]): Promise<Ran> =>
    runCli(['verify', '-o', 'ndjson', ...flags], { env: env() });
  const partsOf = ({ stdout }: Ran) => objects(stdout).filter(({ kind }) => kind === 'partition');
  const sumOf = (ran: Ran, name: string): number => partsOf(ran).reduce((sum, part) => sum + Number(part[name]), 0);
  const findingsOf = ({ stdout }: Ran) =>
    objects(stdout)
      .filter(({ kind }) => kind === 'finding')
      .map(({ problem, partition, offset }) => `${String(problem)} ${String(partition)}/${String(offset)}`)
      .toSorted();
  const asked = async <T>(question: (reader: ReturnType<typeof openReader>) => Promise<T>): Promise<T> => {
    const reader = openReader({ url });
    try {
      return await question(reader);
    } finally {
      await reader.close();
    }
  };
  const placeOf = async (n: number): Promise<string> => {
    const [row] = await asked((reader) => reader.deviations({ eventIds: [deviationNo(n).eventId] }));
    return `${row?.partition}/${row?.offset}`;
  };
  const publish = async (events: readonly TypedEvent[]): Promise<void> => writeTo(topic, await recordsOf(events));
  /** Reads everything there is and stops. */
  const sinkReadsAll = async (): Promise<void> => {
    const ends = await endsOf(topic);
    const sink: RunningProcess = scene.start(['sink', '--group', group], env());
    await waitFor(
      'the sink to reach the ends of the log',
      async () => {
        const rows = await asked((reader) => reader.positions(topic));
        return [...ends].every(
          ([partition, end]) => end === 0n || rows.find((row) => row.partition === partition)?.position === end,
        );
      },
      { seen: sink.stderr },
    );
    sink.kill('SIGTERM');
    expect(await sink.ended()).toMatchObject({ code: 0 });
  };

  beforeAll(async () => {
    topic = `${scene.topic}-${storeName.toLowerCase()}`;
    group = `${topic}-sink`;
    scene.alsoRemove({ topics: [topic], groups: [group] });
    if (storeName === 'SQLite') {
      const file = join(scene.folder, 'verified.db');
      url = `sqlite:${file}`;
      execute = (sql) => {
        const database = new DatabaseSync(file, { timeout: 5_000 });
        try {
          database.exec(sql);
        } finally {
          database.close();
        }
        return Promise.resolve();
      };
    } else {
      const database = await server.createDatabase();
      url = database.url;
      execute = (sql) => database.select(sql);
    }
    await migrate({ url });
    await createTopic(topic, 3);
    await publish(deviationsFrom(1, GOOD));
    await publish(deviationsFrom(1, REPEATED));
    await publish(projectablesFrom(900, FOREIGN));
    const clash: AgentDeviation = { ...deviationNo(5), agente: 'testador' };
    await publish([{ type: 'anamnese.agent_deviation', event: clash }]);
    await writeTo(topic, [{ key: null, value: Buffer.from('{}'), partition: 1 }]);
    await sinkReadsAll();
    await publish(deviationsFrom(GOOD + 1, UNREAD));
  });

  test('passes when every record is a row, a repeat, another type, quarantined, or not read yet', async () => {
    const ran = await verify();
    expect(findingsOf(ran)).toEqual([]);
    expect(ran.exitCode).toBe(0);
    const read = GOOD + REPEATED + FOREIGN + 2;
    // Before it, progress, when it takes its time.
    expect(linesOf(ran.stderr).at(-1)).toBe(
      `deviations: all of ${read} records are accounted for; ${UNREAD} offsets behind them are not read by the sink yet`,
    );
    expect(
      ['records', 'stored', 'repeated', 'others', 'quarantined', 'unread'].map((name) => sumOf(ran, name)),
    ).toEqual([read, GOOD, REPEATED, FOREIGN, 2, UNREAD]);
    // Counted by clients of somebody else's.
    expect(await readTopic(topic)).toHaveLength(read + UNREAD);
    if (isKcatHere()) expect(await listWithKcat(topic)).toHaveLength(read + UNREAD);
  });

  test('knows a clash from a record that a retry would store', async () => {
    const clash = await runCli(['quarantine', 'show', '--reason', 'HASH_CLASH', '-o', 'ndjson'], { env: env() });
    expect(clash.exitCode).toBe(5);
    expect(objects(clash.stdout)).toMatchObject([{ record: { now: 'HASH_CLASH', event: { agente: 'testador' } } }]);
  });

  test('names a row that is missing, and one whose record is in neither table nor quarantine', async () => {
    const [gone, bad] = [
      await placeOf(17),
      await asked((reader) => reader.quarantine(topic, { reasons: ['NOT_FRAMED'] })),
    ];
    await execute(`create table aside as select * from session_events where id = '${uuidNo(17)}'`);
    await execute(`delete from session_events where id = '${uuidNo(17)}'`);
    await execute(`create table aside_too as select * from quarantine where reason = 'NOT_FRAMED'`);
    await execute("delete from quarantine where reason = 'NOT_FRAMED'");
    const ran = await verify();
    expect(ran.exitCode).toBe(5);
    expect(findingsOf(ran)).toEqual([`missing ${gone}`, `missing 1/${bad[0]?.offset}`].toSorted());
    expect(objects(ran.stdout).find(({ eventId }) => eventId === uuidNo(17))).toMatchObject({
      topic,
      problem: 'missing',
    });
    expect(ran.stderr).toMatch(/2 of \d+ records or rows are not as they must be/);
    await execute('insert into session_events select * from aside');
    await execute('insert into quarantine select * from aside_too');
    expect(findingsOf(await verify())).toEqual([]);
  });

  test('names a row that says otherwise than its record, though its hash was left as it was', async () => {
    await execute(`update session_events set agente = 'revisor' where id = '${uuidNo(20)}'`);
    await execute(`update session_events set content_hash = '${'0'.repeat(64)}' where id = '${uuidNo(21)}'`);
    await execute(`update session_events set occurred_at = '2026-11-30T13:00:00.000Z' where id = '${uuidNo(22)}'`);
    const ran = await verify();
    const places = await Promise.all([20, 21, 22].map(placeOf));
    expect(findingsOf(ran)).toEqual(places.map((at) => `wrong ${at}`).toSorted());
    expect(ran.exitCode).toBe(5);
  });

  if (storeName === 'SQLite') {
    test('says the same in every form', async () => {
      for (const format of ['table', 'tsv', 'csv', 'json']) {
        const ran = await verify('-o', format);
        expect({ format, exitCode: ran.exitCode }).toEqual({ format, exitCode: 5 });
        expect(ran.stdout).toContain('its row says otherwise');
        expect(ran.stdout).not.toBe('');
        if (format === 'json') expect(JSON.parse(ran.stdout)).toHaveLength(6);
      }
    });

    describe('on a terminal', () => {
      goldenScreens('verify', (flags, columns) => runCli([...flags, 'verify'], { columns, env: env() }));
    });
  }

  test('names a row without a record and a second row of one record', async () => {
    const [row] = await asked((reader) => reader.deviations({ eventIds: [uuidNo(30)] }));
    const before = findingsOf(await verify()).length;
    const copy = (id: string, partition: number | undefined, offset: string | undefined) =>
      execute(
        `insert into session_events select '${id}' as id, type, session_id, project_id, actor, occurred_at, agente, tipo,
           evidence_event_ids, topic, ${partition} as partition, ${offset} as log_offset, schema_id, content_hash,
           trace_id, recorded_at from session_events where id = '${uuidNo(30)}'`.replace(
          `select '${id}'`,
          storeName === 'SQLite' ? `select '${id}'` : `select '${id}'::uuid`,
        ),
      );
    await copy(uuidNo(7_001), row?.partition, row?.offset);
    // At the place of a record of another type there can be no row.
    const foreign = (await readTopic(topic)).find(
      ({ headers }) => headers.ce_type !== 'anamnese.agent_deviation' && headers.ce_type !== undefined,
    );
    await copy(uuidNo(7_002), foreign?.partition, String(foreign?.offset));
    const found = findingsOf(await verify());
    expect(found).toHaveLength(before + 2);
    expect(found).toEqual(
      expect.arrayContaining([
        `doubled ${row?.partition}/${row?.offset}`,
        `wrong ${foreign?.partition}/${foreign?.offset}`,
      ]),
    );
    await execute(`delete from session_events where id in ('${uuidNo(7_001)}', '${uuidNo(7_002)}')`);
  });

  test('does not miss what retention took, what an operator gave up, or what was not asked for', async () => {
    await execute(`delete from session_events where id in ('${uuidNo(20)}', '${uuidNo(21)}', '${uuidNo(22)}')`);
    const ends = await endsOf(topic);
    // All that was read by now is deleted from the log, and given up is what was not.
    const positions = await asked((reader) => reader.positions(topic));
    await asAdmin(async (admin) => {
      await admin.fetchTopicOffsets(topic);
      await admin.deleteTopicRecords({
        topic,
        partitions: positions.map(({ partition, position }) => ({ partition, offset: String(position) })),
      });
    });
    const deleted = await verify();
    expect(deleted.exitCode).toBe(0);
    expect([sumOf(deleted, 'records'), sumOf(deleted, 'rowsBefore')]).toEqual([0, GOOD - 3]);
    for (const partition of ends.keys()) {
      const adopt = [
        'position',
        'adopt',
        '--consumer',
        'sink',
        '--partition',
        String(partition),
        '--to',
        'end',
        '--why',
        'truncated',
      ];
      expect(await runCli(adopt, { env: env() })).toMatchObject({ exitCode: 0 });
    }
    const givenUp = await verify();
    expect(givenUp.exitCode).toBe(0);
    expect([sumOf(givenUp, 'records'), sumOf(givenUp, 'givenUp'), sumOf(givenUp, 'unread')]).toEqual([
      UNREAD,
      UNREAD,
      0,
    ]);
    await publish(deviationsFrom(GOOD + UNREAD + 1, 3));
    await sinkReadsAll();
    expect(sumOf(await verify('--since', '1h'), 'stored')).toBe(3);
    expect(sumOf(await verify('--since', '2090-01-01'), 'records')).toBe(0);
  });

  test('names a position that the log does not hold', async () => {
    await execute(`update stream_positions set next_offset = 5000 where partition = 0`);
    await execute(`update stream_positions set next_offset = 1 where partition = 1`);
    const ran = await verify();
    expect(ran.exitCode).toBe(5);
    expect(findingsOf(ran)).toEqual(['lost 0/5000', 'lost 1/1']);
    const tail = await runCli(['tail', '-n', '1'], { env: env() });
    expect(tail.stderr).toMatch(
      /partition 0 begins anew[^]*partition 1: offsets 1 to \d+ were deleted before they could/,
    );
  });
});

test('a topic made anew: said before it is adopted, and then the older rows are no fault', async () => {
  const topic = `${scene.topic}-anew`;
  const group = `${topic}-sink`;
  scene.alsoRemove({ topics: [topic], groups: [group] });
  const database = await scene.anotherDatabase('anew');
  const env = { ...scene.env, ...database.env, SESSION_EVENTS_TOPIC: topic };
  const verify = (): Promise<Ran> => runCli(['verify', '-o', 'ndjson'], { env });
  const readsAll = async (): Promise<void> => {
    const sink = scene.start(['sink', '--group', group], env);
    await caughtUp(database.file, 'sink', await endsOf(topic), sink.stderr);
    sink.kill('SIGTERM');
    await sink.ended();
  };
  await createTopic(topic, 1);
  await writeTo(topic, await recordsOf(deviationsFrom(1, 20)));
  await readsAll();
  await asAdmin((admin) => admin.deleteTopics({ topics: [topic] }));
  await waitFor('the topic to be gone', async () => !(await asAdmin((admin) => admin.listTopics())).includes(topic));
  await createTopic(topic, 1);
  // Some of the events again, at other places, and new ones.
  await writeTo(topic, await recordsOf([...deviationsFrom(15, 3), ...deviationsFrom(101, 5)]));

  const lost = await verify();
  expect(lost.exitCode).toBe(5);
  expect(objects(lost.stdout).filter(({ kind }) => kind === 'finding')).toMatchObject([
    { problem: 'lost', partition: 0, offset: 20, detail: expect.stringContaining('ends at 8') },
  ]);
  const tail = await runCli(['tail', '-n', '5', '-o', 'ndjson'], { env });
  expect(tail.stderr).toContain('partition 0 begins anew');
  expect(objects(tail.stdout).map(({ eventId }) => eventId)).toEqual(
    deviationsFrom(101, 5).map(({ event }) => event.eventId),
  );

  const adopt = ['position', 'adopt', '--consumer', 'sink', '--partition', '0', '--why', 'recreated'];
  expect(await runCli(adopt, { env })).toMatchObject({ exitCode: 0 });
  await readsAll();
  const ran = await verify();
  expect(ran.exitCode).toBe(0);
  expect(objects(ran.stdout)).toMatchObject([{ records: 8, stored: 5, repeated: 3, rowsBefore: 20, unread: 0 }]);
});

test('says what it cannot reach, and ends with 4', async () => {
  const missing = await runCli(['verify', '--topic', `${scene.topic}-none`], { env: scene.env });
  expect(missing).toMatchObject({ exitCode: 4, stdout: '' });
  expect(missing.stderr).toMatch(/TOPIC_MISSING.*topic create/);
  const unmade = await runCli(['verify', '--database', 'sqlite:none/none.db'], { env: scene.env });
  expect(unmade).toMatchObject({ exitCode: 4, stdout: '' });
});
