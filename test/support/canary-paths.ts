/** One call through one path, alone: what it answers, makes, throws and becomes is searched for its mark. */
import type { Judged } from '../../consumer/outcome.ts';
import type { Recorder, RefusalCode, ReportPolicy } from '../../producer/index.ts';
import type { Report } from '../../producer/index.ts';
import { reportPolicy } from '../../producer/index.ts';
import type { Submission } from '../../producer/submission.ts';
import { AGENT_DEVIATION, type AgentDeviation, loadSchemaText } from '../../schemas/index.ts';
import {
  frame,
  type IdContract,
  isStreamError,
  judgeWriter,
  kafka,
  type Log,
  type SchemaId,
  schemaId,
} from '../../wire/index.ts';
import { aDeviation } from './builders.ts';
import { CORE_DIGITS, findMark, formsOf } from './canary.ts';
import type { Build } from './canary-build.ts';
import { type CanaryCall, notPlanted, type ReportCall } from './canary-call.ts';
import { CATALOGUE, put } from './canary-draft.ts';
import { FOREIGN_KINDS, type ForeignRecord, foreignRecord, writerTexts } from './canary-foreign.ts';
import { createPlanter } from './canary-plants.ts';
import { createRandom, randomUuid } from './canary-random.ts';
import { reachableText } from './canary-reach.ts';
import type { Tally } from './canary-tally.ts';

export const POLICY: ReportPolicy = reportPolicy({ agents: CATALOGUE, nowMs: () => Date.UTC(2026, 10, 30) });

const IDS = { ours: 1, wider: 2, tomorrows: 3, foreignContract: 4, foreignType: 5, unknown: 6 } as const;
const OTHERS = writerTexts('x', 'x');
const CONTRACTS: ReadonlyMap<SchemaId, IdContract> = new Map<SchemaId, IdContract>([
  [schemaId(IDS.ours), judgeWriter(loadSchemaText(AGENT_DEVIATION))],
  [schemaId(IDS.wider), judgeWriter(OTHERS.wider)],
  [schemaId(IDS.tomorrows), judgeWriter(OTHERS.tomorrows)],
  [schemaId(IDS.foreignContract), judgeWriter(OTHERS.foreignContract)],
  [schemaId(IDS.foreignType), judgeWriter(OTHERS.foreignType)],
  [schemaId(IDS.unknown), { kind: 'unknown-id' }],
]);

const asBuffers = (headers: Readonly<Record<string, string>>): Record<string, Buffer> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Buffer.from(value)]));

/** What the consumers make of a record: the row, the graph's changes, the pointer of the quarantine. */
const judgeAll = async (
  call: CanaryCall,
  record: Pick<ForeignRecord, 'key' | 'value' | 'headers'>,
  build: Build,
  tally: Tally,
): Promise<readonly Judged[]> =>
  Promise.all(
    build.judges.map(async (judge) => {
      const place = { offset: kafka.offset(call.number), recordTimeMs: Date.UTC(2026, 10, 30) };
      const judged = judge.judge({ ...place, ...record }, CONTRACTS);
      tally.count(tally.judged, judged.kind === 'quarantined' ? judged.pointer.reason : judged.kind);
      tally.search(call, judged.kind === 'quarantined' ? 'quarantine' : 'row', await reachableText(judged));
      return judged;
    }),
  );

/** A recorder that keeps what it is given for the look at it, or is full, or away. */
const recorderFor = (refuses: RefusalCode | undefined, kept: Submission[]): Recorder => ({
  record: (submission) => {
    kept.push(submission);
    return Promise.resolve(
      refuses === undefined ? { kept: true, counts: submission.counts } : { kept: false, code: refuses },
    );
  },
  countRefusal: () => {},
  state: () => Promise.resolve({ outbox: undefined, problem: undefined }),
  flush: () => Promise.resolve(0),
  close: () => Promise.resolve(0),
});

const searchError = async (call: CanaryCall, error: unknown, tally: Tally): Promise<void> => {
  tally.count(tally.errors, isStreamError(error) ? error.code : 'not one of ours');
  tally.search(call, 'error', await reachableText(error));
};

/** As any caller hands it over, whatever it is. */
const asReport = (call: ReportCall): Report => call.report as Report;

const NO_ROOM = ['OUTBOX_FULL', 'OUTBOX_UNAVAILABLE', 'CLOSED'] as const;

/** `keeps`: how often the outbox is there, has room and is open, from 0 to 1. */
export const throughReport = async (
  call: ReportCall,
  keeps: number,
  build: Build,
  log: Log,
  tally: Tally,
): Promise<void> => {
  tally.plantedIn(call, await notPlanted(call));
  const kept: Submission[] = [];
  const refuses = call.random.chance(keeps) ? undefined : call.random.pick(NO_ROOM);
  const isClosed = refuses === 'CLOSED';
  try {
    const producer = build.createProducer(POLICY, recorderFor(refuses, kept), log);
    if (isClosed) await producer.close(0);
    const answer = await producer.report(asReport(call));
    tally.answered(answer);
    tally.search(call, 'answer', await reachableText(answer));
  } catch (error) {
    await searchError(call, error, tally);
  }
  for (const { key, headers, body, ...rest } of kept) {
    tally.search(call, 'record key', key);
    tally.search(call, 'record headers', await reachableText(headers));
    tally.search(call, 'record value', body);
    tally.search(call, 'outbox', await reachableText(rest));
    await judgeAll(
      call,
      { key: Buffer.from(key), value: frame(schemaId(IDS.ours), body), headers: asBuffers(headers) },
      build,
      tally,
    );
  }
};

export const throughDryRun = async (call: ReportCall, build: Build, tally: Tally): Promise<void> => {
  tally.plantedIn(call, await notPlanted(call));
  try {
    const answer = await build.dryRun(asReport(call), POLICY);
    tally.answered(answer);
    tally.search(call, 'answer', await reachableText(answer));
    if (answer.recorded) tally.search(call, 'record value', Buffer.from(answer.record.value, 'hex'));
  } catch (error) {
    await searchError(call, error, tally);
  }
};

export const bareCall = (seed: number, number: number) => {
  const random = createRandom(seed, number);
  const core = random.digits(CORE_DIGITS);
  const plant = createPlanter(core, random);
  return { number, core, forms: formsOf(core), random, planted: plant.planted, plant };
};

const FIELDS = ['eventId', 'sessionId', 'projectId', 'actor', 'agente', 'tipo', 'evidenceEventIds', 'nota'] as const;

/** An event that our own code would have built wrongly, around the model's words: the encoder is the last to stop it. */
export const throughEncoder = async (seed: number, number: number, build: Build, tally: Tally): Promise<void> => {
  const call = bareCall(seed, number);
  const { random, plant } = call;
  const event: AgentDeviation = { ...aDeviation(), eventId: randomUuid(random) };
  const field = random.pick(FIELDS);
  if (field === 'evidenceEventIds') put(event, field, [plant.text(field)]);
  else if (random.chance(0.2)) put(event, 'occurredAt', plant.number('occurredAt'));
  else put(event, field, random.chance(0.5) ? plant.text(field) : plant.slug(field).toUpperCase());
  if (random.chance(0.2)) put(event, Symbol(plant.text('symbol key')), plant.text('symbol key'));
  const text = (await reachableText(event)).toLowerCase();
  tally.plantedIn(
    call,
    call.planted.filter((one) => !text.includes(one.text.toLowerCase())),
  );
  try {
    tally.search(call, 'record value', build.encode(event));
    tally.count(tally.errors, 'encoded');
  } catch (error) {
    await searchError(call, error, tally);
  }
};

/** A record of a foreign writer, before both consumers. */
export const throughJudges = async (seed: number, number: number, build: Build, tally: Tally): Promise<void> => {
  const call = bareCall(seed, number);
  const kind = FOREIGN_KINDS[Math.floor(number / 10) % FOREIGN_KINDS.length] ?? '';
  const record = foreignRecord(kind, IDS, call.plant, call.random);
  const text = await reachableText(record);
  const isThere = (planted: string): boolean =>
    // A number's text is the core itself; in bytes it is a long.
    text.includes(planted) || (planted.trim() === call.core && findMark(call.forms, record.value ?? '') !== undefined);
  tally.plantedIn(
    call,
    call.planted.filter((one) => !isThere(one.text)),
  );
  try {
    await judgeAll(call, record, build, tally);
  } catch (error) {
    await searchError(call, error, tally);
  }
};
