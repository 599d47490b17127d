/** `show`: the row, its record on the topic with its headers, its schema, its evidence; what is away is said and hides nothing. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { AGENT_DEVIATION } from '../../schemas/index.ts';
import { deviationHeaders } from '../../wire/index.ts';
import { TOOLS_GROUP_PREFIX } from '../../wire/names.ts';
import { uuidNo } from '../support/builders.ts';
import { writeTo } from '../support/foreign-writer.ts';
import { type Ran, runCli } from '../support/run-cli.ts';
import { goldenScreens } from '../support/screens.ts';
import { caughtUp } from '../support/stack-database.ts';
import { deviationNo, recordsOf } from '../support/stack-events.ts';
import { enterScene, type Scene } from '../support/stack-scene.ts';
import { asAdmin, createTopic, endsOf, removeFromBroker } from '../support/topics.ts';
import { waitFor } from '../support/wait-for.ts';

/** Must not be shown: what a stranger wrote beside our headers. */
const CANARY = 'canary-show-41d7';
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const TRACEPARENT = `00-${TRACE}-b7ad6b7169203331-01`;

const [FIRST, SECOND] = [deviationNo(1), deviationNo(2)];
/** Its evidence: a deviation that is stored, and an event that nobody knows here. */
const SHOWN = { ...deviationNo(3), evidenceEventIds: [uuidNo(1), uuidNo(77)] };

let scene: Scene;
beforeAll(async () => {
  scene = await enterScene('tells-everything', { partitions: 1 });
  const [first, second, shown] = await recordsOf(
    [FIRST, { ...SECOND, evidenceEventIds: [uuidNo(77)] }, SHOWN].map((event) => ({ type: AGENT_DEVIATION, event })),
  );
  if (first === undefined || second === undefined || shown === undefined)
    throw new Error('three records were asked for');
  const headers = { ...deviationHeaders(SHOWN, TRACEPARENT), [CANARY]: CANARY, ce_extra: `\u001b]0;${CANARY}` };
  await writeTo(scene.topic, [first, second, { ...shown, headers }]);
  const sink = scene.consume('sink');
  await caughtUp(scene.databaseFile, 'sink', await endsOf(scene.topic), sink.stderr);
  sink.kill('SIGTERM');
  await sink.ended();
});
afterAll(() => scene.leave());

const toolGroups = (): Promise<readonly string[]> =>
  asAdmin(async (admin) => (await admin.listGroups()).groups.map(({ groupId }) => groupId)).then((groups) =>
    groups.filter((group) => group.startsWith(TOOLS_GROUP_PREFIX)),
  );

const show = (
  flags: readonly string[] = [],
  more: Readonly<Record<string, string>> = {},
  columns?: number,
): Promise<Ran> =>
  runCli(['show', SHOWN.eventId, ...flags], {
    env: { ...scene.env, ...more },
    ...(columns === undefined ? {} : { columns }),
  });

const shownJson = ({ stdout }: Ran): Readonly<Record<string, unknown>> =>
  JSON.parse(stdout) as Readonly<Record<string, unknown>>; // one object

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/;

goldenScreens('show', (flags, columns) => show(flags, {}, columns), {
  mask: (text) =>
    text
      .replaceAll(scene.topic, 'session-events')
      .replace(new RegExp(`((?:recordTime|recordedAt)\\S*\\s+)${TIME.source}`, 'g'), '$1TIME')
      .replace(/id \d+, version \d+/, 'id N, version N'),
});

test('tells what the table, the topic and the registry know of it', async () => {
  const ran = await show(['-o', 'ndjson']);
  expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
  const { _meta, _headers, ...rest } = shownJson(ran);
  expect(_headers).toEqual(deviationHeaders(SHOWN, TRACEPARENT));
  expect(_meta).toEqual({
    topic: scene.topic,
    partition: 0,
    offset: 2,
    schemaId: expect.any(Number),
    schemaVersion: 1,
    recordedAt: expect.stringMatching(TIME),
    recordTime: expect.stringMatching(TIME),
    key: SHOWN.sessionId,
    traceId: TRACE,
    contentHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    record: 'same',
  });
  expect(rest).toMatchObject({
    eventId: SHOWN.eventId,
    actor: 'agent/anamnese',
    evidenceEventIds: SHOWN.evidenceEventIds,
    _otherHeaders: 2,
    _evidence: [
      { eventId: FIRST.eventId, stored: { sessionId: FIRST.sessionId, tipo: FIRST.tipo }, namedByOthers: 0 },
      { eventId: uuidNo(77), stored: null, namedByOthers: 1 },
    ],
    _namedBy: 0,
  });
});

test('shows no text of a stranger, in any form, and leaves no group behind', async () => {
  const before = await toolGroups();
  for (const format of ['table', 'tsv', 'ndjson', 'json', 'csv']) {
    expect((await show(['-o', format])).stdout).not.toContain(CANARY);
  }
  // Other tests read with groups of the same kind, which go in their own time.
  const since = (await toolGroups()).filter((group) => !before.includes(group));
  await waitFor('the groups of the tools to be gone', async () => {
    const now = await toolGroups();
    return !since.some((group) => now.includes(group));
  });
});

test('with the broker or the registry away shows the rest, says what to check, and ends with 4', async () => {
  const noBroker = await show(['-o', 'ndjson'], { KAFKA_BROKERS: '127.0.0.1:1' });
  expect(noBroker.exitCode).toBe(4);
  expect(noBroker.stderr).toMatch(/BROKER_UNREACHABLE.*Check KAFKA_BROKERS/);
  expect(shownJson(noBroker)).toMatchObject({ eventId: SHOWN.eventId, _headers: null, _meta: { schemaVersion: 1 } });

  const noRegistry = await show(['-o', 'ndjson'], { SCHEMA_REGISTRY_URL: 'http://127.0.0.1:1' });
  expect(noRegistry.exitCode).toBe(4);
  expect(noRegistry.stderr).toMatch(/REGISTRY_UNREACHABLE.*Check SCHEMA_REGISTRY_URL/);
  expect(shownJson(noRegistry)).toMatchObject({ eventId: SHOWN.eventId });
});

test('without a registry shows the headers all the same', async () => {
  const ran = await show(['-o', 'ndjson'], { SCHEMA_REGISTRY_URL: '' });
  expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
  expect(shownJson(ran)).toMatchObject({
    _headers: deviationHeaders(SHOWN, TRACEPARENT),
    _meta: { record: 'unchecked', schemaVersion: null },
  });
});

test('says that the topic holds something else there, or nothing, with 5: it was made anew', async () => {
  await removeFromBroker([scene.topic], []);
  await createTopic(scene.topic, 1);
  const nothing = await show();
  expect(nothing.exitCode).toBe(5);
  expect(nothing.stdout).toContain('record\tnot there: the log ends before this place');
  const [other] = await recordsOf([{ type: AGENT_DEVIATION, event: FIRST }]);
  if (other === undefined) throw new Error('a record was asked for');
  await writeTo(scene.topic, [other, other, other]);
  const another = await show();
  expect(another.exitCode).toBe(5);
  expect(another.stdout).toContain('record\tanother one: the topic holds something else at this place');
});
