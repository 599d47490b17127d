/** The whole way with the real program: `report` to the topic, `sink` to the table, `query` and SQL back out. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ForeignRecord, readTopic } from '../support/foreign-reader.ts';
import { isKcatHere, listWithKcat } from '../support/kcat.ts';
import { type Ended, linesOf } from '../support/processes.ts';
import { caughtUp, countersOf, select } from '../support/stack-database.ts';
import { EXPECTED_ANSWERS, EXPECTED_EVENTS, RECORDED, REPORTS_TEXT } from '../support/stack-examples.ts';
import { enterScene, type Scene } from '../support/stack-scene.ts';
import { asAdmin, endsOf } from '../support/topics.ts';

type Json = Readonly<Record<string, unknown>>;

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const TRACED = { sessionId: 'b7c1a0de-0000-4000-8000-000000000001', eventTime: '2026-11-30T10:00:00.000Z' };
/** One report more than the examples have: with a trace, and with things that must not travel. */
const TRACED_REPORT = JSON.stringify({
  context: {
    sessionId: TRACED.sessionId,
    projectId: 'b7c1a0de-0000-4000-8000-000000000002',
    toolCallId: 'call_traced',
    occurredAt: TRACED.eventTime,
    traceparent: TRACEPARENT,
    tracestate: 'vendor=canary',
    baggage: 'user=canary',
    userId: 'canary',
  },
  input: { agente: 'po', tipo: 'laco', note: 'canary' },
});
const INPUT = `${REPORTS_TEXT}${TRACED_REPORT}\n`;

let scene: Scene;
let reported: Ended;
let startedMs: number;
let endedMs: number;
let records: readonly ForeignRecord[];

beforeAll(async () => {
  scene = await enterScene('a-report-becomes-a-row', { bare: true });
  for (const command of [['topic', 'create'], ['schema', 'register'], ['migrate']]) {
    expect(await scene.run(command)).toMatchObject({ code: 0 });
  }
  const sink = scene.consume('sink');
  startedMs = Date.now();
  reported = await scene.run(['report'], INPUT);
  endedMs = Date.now();
  await caughtUp(scene.databaseFile, 'sink', await endsOf(scene.topic), sink.stderr);
  sink.kill('SIGTERM');
  expect(await sink.ended()).toMatchObject({ code: 0 });
  records = await readTopic(scene.topic);
});

afterAll(() => scene.leave());

const jsonLines = (text: string): readonly Json[] => linesOf(text).map((line) => JSON.parse(line) as Json);
const byEventId = (a: Json, b: Json): number => (String(a.eventId) < String(b.eventId) ? -1 : 1);

const isBetween = (iso: unknown, fromMs: number, toMs: number): boolean => {
  const ms = Date.parse(String(iso));
  return ms >= fromMs && ms <= toMs;
};

test('every report is answered in its order, and the counts add up', () => {
  expect(reported.code).toBe(0);
  const answers = jsonLines(reported.stdout);
  expect(answers.map(({ recorded }) => ({ recorded }))).toEqual([...EXPECTED_ANSWERS, { recorded: true }]);
  expect(linesOf(reported.stderr)).toEqual([
    `${RECORDED + 1} recorded, ${EXPECTED_ANSWERS.length - RECORDED} refused; 0 still wait`,
  ]);
  expect(countersOf(scene.databaseFile, 'sink')).toEqual({
    stored: EXPECTED_EVENTS.length + 1,
    duplicate: 0,
    filtered: 0,
    quarantined: 0,
  });
});

test('the query gives exactly the expected events back, each field equal', async () => {
  const answer = await scene.run(['query', '-o', 'ndjson']);
  expect(answer).toMatchObject({ code: 0, stderr: '' });
  const stored = jsonLines(answer.stdout).filter(({ sessionId }) => sessionId !== TRACED.sessionId);

  // The engine gave one report no clock: its event carries the moment it was reported.
  const unclocked = EXPECTED_EVENTS.filter(({ occurredAt }) => occurredAt === undefined).map(({ eventId }) => eventId);
  expect(unclocked).toHaveLength(1);
  const playedNow = stored.filter(({ eventId }) => unclocked.includes(String(eventId)));
  expect(playedNow.every(({ occurredAt }) => isBetween(occurredAt, startedMs, endedMs))).toBe(true);

  const events = stored.map(({ _meta, ...event }) =>
    unclocked.includes(String(event.eventId)) ? { ...event, occurredAt: undefined } : event,
  );
  expect([...events].sort(byEventId)).toEqual(
    EXPECTED_EVENTS.map((event) => ({ ...event, actor: 'agent/anamnese' })).sort(byEventId),
  );

  const at = new Set(records.map(({ partition, offset }) => `${partition}:${offset}`));
  for (const { _meta } of stored) {
    const meta = _meta as Json; // the documented shape of the row
    expect(meta.topic).toBe(scene.topic);
    expect(at.has(`${String(meta.partition)}:${String(meta.offset)}`)).toBe(true);
    expect(isBetween(meta.recordedAt, startedMs, Date.now())).toBe(true);
  }
});

test("the ADR's own query, by another driver, returns the same rows", async () => {
  const rows = select(scene.databaseFile, "select * from session_events where type = 'anamnese.agent_deviation'");
  const asked = await scene.run(['query', '-o', 'ndjson']);
  const asEvents = rows.map((row) => ({
    eventId: row.id,
    sessionId: row.session_id,
    projectId: row.project_id,
    occurredAt: row.occurred_at,
    actor: row.actor,
    agente: row.agente,
    tipo: row.tipo,
    evidenceEventIds: JSON.parse(String(row.evidence_event_ids)) as unknown,
    _meta: {
      topic: row.topic,
      partition: row.partition,
      offset: row.log_offset,
      schemaId: row.schema_id,
      recordedAt: row.recorded_at,
    },
  }));
  expect(asEvents).toHaveLength(EXPECTED_EVENTS.length + 1);
  expect(asEvents.sort(byEventId)).toEqual([...jsonLines(asked.stdout)].sort(byEventId));
});

test('the stored content hash is the hash of what the dry run says the report becomes', async () => {
  const { stdout } = await scene.run(['report', '--dry-run'], INPUT);
  const decoded = jsonLines(stdout)
    .filter(({ recorded }) => recorded === true)
    .map(({ record }) => (record as { decoded: Json }).decoded); // the documented shape of a dry run's answer
  const hashes = new Map(
    decoded.map((event) => [
      event.eventId,
      createHash('sha256')
        .update(
          JSON.stringify([
            event.eventId,
            event.sessionId,
            event.projectId,
            'agent_anamnese',
            event.agente,
            event.tipo,
            event.evidenceEventIds,
          ]),
        )
        .digest('hex'),
    ]),
  );
  const stored = select(scene.databaseFile, 'select id, content_hash from session_events');
  expect(hashes.size).toBe(EXPECTED_EVENTS.length + 1);
  expect(new Map(stored.map(({ id, content_hash }) => [id, content_hash]))).toEqual(hashes);
});

test('on the topic, another client finds the allow-listed headers alone, the session as key, the time of arrival', () => {
  // A report told twice is one event, and the outbox sends it once.
  expect(records).toHaveLength(EXPECTED_EVENTS.length + 1);
  const events = new Map(EXPECTED_EVENTS.map((event) => [event.eventId, event]));
  for (const { key, headers, value, isLogAppendTime, timeMs } of records) {
    const event = events.get(headers['ce_id'] ?? '');
    if (event === undefined) expect(key).toBe(TRACED.sessionId);
    else {
      expect(key).toBe(event.sessionId);
      expect(headers).toEqual({
        ce_specversion: '1.0',
        ce_id: event.eventId,
        ce_type: 'anamnese.agent_deviation',
        ce_source: '/anamnese',
        ce_subject: event.sessionId,
        ce_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        ce_tipo: event.tipo,
        ce_agente: event.agente,
        'content-type': 'application/avro',
      });
    }
    expect(value?.[0]).toBe(0);
    expect(isLogAppendTime).toBe(true);
    expect(isBetween(new Date(timeMs).toISOString(), startedMs, endedMs)).toBe(true);
  }
});

test('a trace goes along, nothing else of the context or of the model does', () => {
  const traced = records.filter(({ key }) => key === TRACED.sessionId);
  expect(traced).toHaveLength(1);
  expect(traced[0]?.headers['traceparent']).toBe(TRACEPARENT);
  // Those of the others were looked at one by one above.
  const ofOthers = Object.keys(records.find(({ key }) => key !== TRACED.sessionId)?.headers ?? {});
  expect(Object.keys(traced[0]?.headers ?? {}).toSorted()).toEqual([...ofOthers, 'traceparent'].toSorted());
  expect(JSON.stringify(traced[0]?.headers) + String(traced[0]?.value?.toString('latin1'))).not.toContain('canary');
  expect(
    select(scene.databaseFile, `select trace_id from session_events where session_id = '${TRACED.sessionId}'`),
  ).toEqual([{ trace_id: '0af7651916cd43dd8448eb211c80319c' }]);
});

const hasKcat = isKcatHere();
if (!hasKcat)
  process.stderr.write('a-report-becomes-a-row: the listing by kcat is skipped, there is no kcat on the PATH\n');

(hasKcat ? test : test.skip)('kcat, which knows no Avro, lists each with the same key and headers', async () => {
  const lines = await listWithKcat(scene.topic);
  const byId = (a: { headers: Readonly<Record<string, string>> }, b: typeof a): number =>
    String(a.headers['ce_id']) < String(b.headers['ce_id']) ? -1 : 1;
  expect(lines.toSorted(byId)).toEqual(records.map(({ key, headers }) => ({ key, headers })).toSorted(byId));
});

test('the topic is made with the settings that the promises rest on', async () => {
  const settings = await asAdmin((admin) =>
    admin.describeConfigs({ includeSynonyms: false, resources: [{ type: 2, name: scene.topic }] }),
  );
  const valueOf = new Map(
    settings.resources[0]?.configEntries.map(({ configName, configValue }) => [configName, configValue]),
  );
  expect(valueOf.get('message.timestamp.type')).toBe('LogAppendTime');
  expect(valueOf.get('unclean.leader.election.enable')).toBe('false');
});
