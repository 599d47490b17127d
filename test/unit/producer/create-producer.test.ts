import { describe, expect, test } from '@jest/globals';
import { createProducer, dryRun, type Recording, reportPolicy } from '../../../producer/index.ts';
import { AGENT_DEVIATION, loadSchemaText } from '../../../schemas/index.ts';
import { createDecoder } from '../../../wire/codec.ts';
import { frame, schemaId, unframe } from '../../../wire/index.ts';
import {
  AGENTES,
  aContext,
  anInput,
  aReport,
  NOON_MS,
  PROJECT,
  SESSION,
  uuidNo,
  uuids,
} from '../../support/builders.ts';
import { memoryRecorder } from '../../support/memory-recorder.ts';

const policy = reportPolicy({ agents: AGENTES, nowMs: () => NOON_MS });
const EVENT_ID = 'bc933a45-269d-500c-9802-8fbefb1da31c';

/** A report with something of everything. */
const fullReport = () =>
  aReport({
    context: aContext({
      sessionEventIds: uuids(30),
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    }),
    input: anInput({
      tipo: 'reparo_pelo_usuario',
      evidenceEventIds: [...uuids(23)].reverse().concat(['no id', uuidNo(1), uuidNo(99)]),
      why: 'it was me, Zulmira',
      user: { email: 'zulmira@example.org' },
    }),
  });

const EVIDENCE = { kept: 20, duplicates: 1, malformed: 1, unknown: 1, overCeiling: 3 };

const EVENT = {
  eventId: EVENT_ID,
  sessionId: SESSION,
  projectId: PROJECT,
  occurredAt: NOON_MS,
  actor: 'agent_anamnese',
  agente: 'desenvolvedor',
  tipo: 'reparo_pelo_usuario',
  evidenceEventIds: uuids(20, 4),
};

describe('an accepted report', () => {
  test('becomes the event that its fields say, and nothing else of it travels', async () => {
    const recorder = memoryRecorder();
    const answer = await createProducer(policy, recorder).report(fullReport());
    expect(answer).toStrictEqual({ recorded: true, eventId: EVENT_ID, discardedFields: 2, evidence: EVIDENCE });
    const [submission] = recorder.submissions;
    if (submission === undefined) throw new Error('nothing was recorded');
    const body = Buffer.from(submission.body);
    expect(createDecoder(AGENT_DEVIATION, loadSchemaText(AGENT_DEVIATION)).decode(body)).toEqual({
      readable: true,
      event: EVENT,
    });
    expect(submission.key).toBe(SESSION);
    expect(JSON.stringify(submission) + body.toString('latin1')).not.toMatch(/zulmira|call_1/i);
  });

  test('that the outbox remembers gets the counts of the first answer', async () => {
    const first = { discardedFields: 7, evidence: { ...EVIDENCE, kept: 1 } };
    const recorder = memoryRecorder((): Recording => ({ kept: true, counts: first }));
    expect(await createProducer(policy, recorder).report(fullReport())).toStrictEqual({
      recorded: true,
      eventId: EVENT_ID,
      ...first,
    });
  });
});

describe('a dry run', () => {
  test('shows the whole record, framed with the id 0, which is no registry’s', async () => {
    const answer = await dryRun(fullReport(), policy);
    if (!answer.recorded) throw new Error(answer.code);
    const { record, ...rest } = answer;
    expect(rest).toStrictEqual({ recorded: true, eventId: EVENT_ID, discardedFields: 2, evidence: EVIDENCE });
    expect(record).toMatchObject({ key: SESSION, schemaId: null, headers: { ce_id: EVENT_ID, ce_tipo: EVENT.tipo } });
    expect(record.decoded).toStrictEqual({
      ...EVENT,
      actor: 'agent/anamnese',
      occurredAt: '2026-11-30T12:00:00.123Z',
    });
    const value = Buffer.from(record.value, 'hex');
    expect(unframe(value)).toEqual({ framed: false, reason: 'SCHEMA_UNKNOWN' });
    const recorder = memoryRecorder();
    await createProducer(policy, recorder).report(fullReport());
    expect(frame(schemaId(0), recorder.submissions[0]?.body ?? Buffer.alloc(0)).equals(value)).toBe(true);
  });
});

describe('a producer', () => {
  test.each(['OUTBOX_FULL', 'OUTBOX_UNAVAILABLE'] as const)(
    'passes on that its outbox answers %s, without counts',
    async (code) => {
      const recorder = memoryRecorder((): Recording => ({ kept: false, code }));
      const answer = await createProducer(policy, recorder).report(aReport());
      expect(answer).toMatchObject({ recorded: false, code });
      expect(Object.keys(answer)).toEqual(['recorded', 'code', 'message']);
    },
  );

  test('that is closed refuses what is right, and still says what is wrong', async () => {
    const recorder = memoryRecorder();
    const producer = createProducer(policy, recorder);
    await producer.close(1_000);
    expect(await producer.report(aReport())).toMatchObject({ code: 'CLOSED' });
    expect(await producer.report(aReport({ input: null }))).toMatchObject({ code: 'INPUT_NOT_AN_OBJECT' });
    expect(recorder.submissions).toEqual([]);
  });

  test.each([
    ['no agent at all', []],
    ['a display name', ['desenvolvedor', 'Revisor Sênior']],
    ['a slug of 33 characters', ['a'.repeat(33)]],
    ['an empty slug', ['']],
  ])('is not made with a catalogue of %s, and the slug is not told', (_, agents) => {
    const make = () => reportPolicy({ agents });
    expect(make).toThrow(/CONFIG_INVALID.*the catalogue of agents/);
    expect(make).not.toThrow(/Revisor|aaaa/);
  });
});
