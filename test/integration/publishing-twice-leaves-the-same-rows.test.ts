/** The same reports again, by the same outbox and by one that has no memory of them: not a byte of the rows changes. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Ended, linesOf, type RunningProcess } from '../support/processes.ts';
import { caughtUp, countersOf, select } from '../support/stack-database.ts';
import { EXPECTED_ANSWERS, EXPECTED_EVENTS, REPORTS_TEXT } from '../support/stack-examples.ts';
import { enterScene, type Scene } from '../support/stack-scene.ts';
import { endsOf } from '../support/topics.ts';

const EVENTS = EXPECTED_EVENTS.length;

let scene: Scene;
let sink: RunningProcess;
let first: string;

/** `deviations report`, remembering what it has sent in that outbox. */
const report = (outbox: string, input: string): Promise<Ended> =>
  scene.run(['report', '--outbox', join(scene.folder, `${outbox}.db`)], input);

const rows = (): string => JSON.stringify(select(scene.databaseFile, 'select * from session_events order by id'));
const sinkCatchesUp = async (): Promise<bigint> => {
  const ends = await endsOf(scene.topic);
  await caughtUp(scene.databaseFile, 'sink', ends, sink.stderr);
  return [...ends.values()].reduce((sum, end) => sum + end, 0n);
};

beforeAll(async () => {
  scene = await enterScene('publishing-twice');
  sink = scene.consume('sink');
  expect(await report('first', REPORTS_TEXT)).toMatchObject({ code: 0 });
  await sinkCatchesUp();
  first = rows();
});

afterAll(() => scene.leave());

test('the first time there is a row per event', () => {
  expect(JSON.parse(first)).toHaveLength(EVENTS);
  expect(countersOf(scene.databaseFile, 'sink')).toEqual({ stored: EVENTS, duplicate: 0, filtered: 0, quarantined: 0 });
});

test('by the same outbox, the second time is answered as the first, and nothing new is on the topic', async () => {
  const before = await sinkCatchesUp();
  const again = await report('first', REPORTS_TEXT);
  expect(again.code).toBe(0);
  expect(linesOf(again.stdout).map((line) => ({ recorded: line.includes('"recorded":true') }))).toEqual(
    EXPECTED_ANSWERS,
  );
  expect(await sinkCatchesUp()).toBe(before);
  expect(rows()).toBe(first);
});

test('by an outbox without memory, the topic holds every event twice and the table once, the rows as they were', async () => {
  expect(await report('second', REPORTS_TEXT)).toMatchObject({ code: 0 });
  expect(await sinkCatchesUp()).toBe(BigInt(2 * EVENTS));
  expect(rows()).toBe(first);
  expect(countersOf(scene.databaseFile, 'sink')).toEqual({
    stored: EVENTS,
    duplicate: EVENTS,
    filtered: 0,
    quarantined: 0,
  });
});

test('the same call with other content is a clash: the first row stands, and the second record is pointed at', async () => {
  const line = linesOf(REPORTS_TEXT)[0] ?? '';
  const changed = line.replace('"tipo":"laco"', '"tipo":"reparo_pelo_usuario"');
  expect(changed).not.toBe(line);
  const [event] = EXPECTED_EVENTS;

  const answer = await report('third', `${changed}\n`);
  expect(answer.stdout).toContain(`"recorded":true,"eventId":"${event?.eventId}"`);
  await sinkCatchesUp();

  expect(rows()).toBe(first);
  expect(select(scene.databaseFile, 'select reason, state, attempts from quarantine')).toEqual([
    { reason: 'HASH_CLASH', state: 'open', attempts: 1 },
  ]);
  const [{ partition, log_offset } = {}] = select(scene.databaseFile, 'select partition, log_offset from quarantine');
  const ends = await endsOf(scene.topic);
  expect({ at: Number(log_offset) }).toEqual({ at: Number(ends.get(Number(partition))) - 1 });
  expect(countersOf(scene.databaseFile, 'sink')).toEqual({
    stored: EVENTS,
    duplicate: EVENTS,
    filtered: 0,
    quarantined: 1,
  });
});
