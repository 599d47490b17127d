import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createSinkJudge } from '../../consumer/index.ts';
import { createProducer, type Recorder } from '../../producer/index.ts';
import type { Submission } from '../../producer/submission.ts';
import { AGENT_DEVIATION, type AgentDeviation, loadSchemaText, TIPOS } from '../../schemas/index.ts';
import { frame, judgeWriter, kafka, schemaId } from '../../wire/index.ts';
import { uuid } from '../support/arbitraries.ts';
import { CATALOGUE } from '../support/canary-draft.ts';
import { POLICY } from '../support/canary-paths.ts';

/** What the agent did: the same in both worlds. Evidence is named by its place among the session's events. */
const step = fc.record({
  agente: fc.constantFrom(...CATALOGUE),
  tipo: fc.constantFrom(...TIPOS),
  evidence: fc.uniqueArray(fc.nat(11), { maxLength: 6 }),
  minute: fc.nat(59),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Who the person is and what they and the model say beside: another in each world. */
const world = fc.record({
  sessionId: uuid,
  projectId: uuid,
  events: fc.uniqueArray(uuid, { minLength: 12, maxLength: 12 }),
  nome: fc.string({ unit: 'grapheme', minLength: 1 }),
  said: fc.array(
    fc.record({
      fields: fc.dictionary(
        fc.string({ minLength: 1 }).filter((key) => !['agente', 'tipo', 'evidenceEventIds'].includes(key)),
        fc.jsonValue(),
      ),
      context: fc.dictionary(
        fc.constantFrom('usuario', 'idioma', 'nota', '__proto__'),
        fc.string({ unit: 'grapheme' }),
      ),
      noise: fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 4 }),
      traceparent: fc.string(),
    }),
    { minLength: 8, maxLength: 8 },
  ),
});
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

const JUDGE = createSinkJudge({ agents: new Set(CATALOGUE) });
const ID = schemaId(1);
const CONTRACTS = new Map([[ID, judgeWriter(loadSchemaText(AGENT_DEVIATION))]]);

type Change = (submission: Submission, person: World) => Submission;
const AS_IT_IS: Change = (submission) => submission;

/** The deviations of a session as the sink would store them, with its ids renamed. */
const streamOf = async (
  steps: readonly Step[],
  person: World,
  change: Change = AS_IT_IS,
): Promise<readonly unknown[]> => {
  const sent: Submission[] = [];
  const recorder: Recorder = {
    record: (submission) => {
      sent.push(change(submission, person));
      return Promise.resolve({ kept: true, counts: submission.counts });
    },
    countRefusal: () => {},
    state: () => Promise.resolve({ outbox: undefined, problem: undefined }),
    flush: () => Promise.resolve(0),
    close: () => Promise.resolve(0),
  };
  const producer = createProducer(POLICY, recorder);
  for (const [at, { agente, tipo, evidence, minute }] of steps.entries()) {
    const said = person.said[at % person.said.length];
    await producer.report({
      context: {
        ...said?.context,
        sessionId: person.sessionId,
        projectId: person.projectId,
        toolCallId: `call_${at}`,
        occurredAt: `2026-11-30T12:${String(minute).padStart(2, '0')}:00Z`,
        sessionEventIds: person.events,
        traceparent: said?.traceparent,
      },
      input: {
        ...said?.fields,
        agente,
        tipo,
        evidenceEventIds: [...(said?.noise ?? []), ...evidence.map((place) => person.events[place])],
      },
    });
  }

  const names = new Map([
    [person.sessionId, 'the session'],
    [person.projectId, 'the project'],
    ...person.events.map((id, place): [string, string] => [id, `event ${place}`]),
  ]);
  /** What is none of the world's ids stays as it is, and tells the worlds apart. */
  const name = (id: string): string => names.get(id) ?? id;
  const named = (event: AgentDeviation) => ({
    ...event,
    eventId: 'an id of its own',
    sessionId: name(event.sessionId),
    projectId: name(event.projectId),
    evidenceEventIds: event.evidenceEventIds.map(name).sort(),
  });
  return sent.map(({ key, headers, body, eventId }) => {
    const judged = JUDGE.judge(
      {
        offset: kafka.offset(0),
        recordTimeMs: 0,
        key: Buffer.from(key),
        value: frame(ID, body),
        headers: Object.fromEntries(Object.entries(headers).map(([header, value]) => [header, Buffer.from(value)])),
      },
      CONTRACTS,
    );
    return {
      key: name(key),
      headers: { ...headers, ce_id: headers['ce_id'] === eventId, ce_subject: name(headers['ce_subject'] ?? '') },
      size: body.length,
      stored: judged.kind === 'row' ? { ...named(judged.row.event), traceId: judged.row.traceId } : judged.kind,
    };
  });
};

const steps = fc.array(step, { minLength: 1, maxLength: 12 });

test('two persons whose agents behaved alike leave the same deviations, but for the ids', async () => {
  await fc.assert(
    fc.asyncProperty(steps, world, world, async (behaviour, one, other) => {
      const stream = await streamOf(behaviour, one);
      expect(stream).toHaveLength(behaviour.length);
      expect(await streamOf(behaviour, other)).toEqual(stream);
    }),
    { numRuns: 300 },
  );
});

test('the two worlds are told apart as soon as a build lets one thing of the person through', async () => {
  const leaks: readonly Change[] = [
    (one, { nome }) => ({ ...one, headers: { ...one.headers, ce_dataref: String(nome.length) } }),
    (one, { nome }) => ({ ...one, body: Buffer.concat([one.body, Buffer.from(nome)]) }),
    (one, { said }) => ({ ...one, headers: { ...one.headers, traceparent: said[0]?.traceparent ?? '' } }),
    (one, { nome }) => ({ ...one, key: nome }),
  ];
  for (const leak of leaks) {
    const property = fc.asyncProperty(steps, world, world, async (behaviour, one, other) => {
      expect(await streamOf(behaviour, one, leak)).toEqual(await streamOf(behaviour, other, leak));
    });
    expect(await fc.check(property, { numRuns: 300, endOnFailure: true })).toMatchObject({ failed: true });
  }
});

test('another behaviour leaves other deviations', async () => {
  const [one] = fc.sample(world, { numRuns: 1, seed: 1 });
  if (one === undefined) throw new Error('a sample of one is one');
  const looped: Step = { agente: 'revisor', tipo: 'laco', evidence: [1], minute: 0 };
  expect(await streamOf([looped], one)).not.toEqual(await streamOf([{ ...looped, evidence: [2] }], one));
});
