/** How long each filter of `deviations query` takes on many rows: in process, as a whole command, and as bare SQL. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type DeviationFilter, openReader, type StoredDeviation } from '../consumer/index.ts';
import { type Figure, ms, percentile } from './figures.ts';
import type { BenchOptions } from './reports.ts';
import { type BenchDatabase, type BenchStore, openStores } from './sink/databases.ts';
import { writeOnly } from './sink/floors.ts';

const PROGRAM = join(import.meta.dirname, '../bin/deviations.js');
const LIMIT = 50;
const TURNS = 5;
const TARGET_MS = 300;
const FLUSH_ROWS = 2_000;

interface Question {
  readonly name: string;
  readonly flags: readonly string[];
  readonly filter: DeviationFilter;
  readonly limit: number | undefined;
  /** Its condition as a person would write it. */
  readonly where: string;
}

const median = async (turns: number, work: () => Promise<unknown>): Promise<number> => {
  const taken: number[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const beganMs = performance.now();
    await work();
    taken.push(performance.now() - beganMs);
  }
  return percentile(taken, 0.5);
};

const run = promisify(execFile);

/** Undefined when the tool is not there. */
const bareSql = async (database: BenchDatabase, sql: string): Promise<number | undefined> => {
  const [tool, ...args] = database.url.startsWith('sqlite:')
    ? ['sqlite3', database.url.slice('sqlite:'.length), sql]
    : ['psql', database.url, '-Atc', sql];
  return median(3, () => run(tool ?? '', args, { maxBuffer: 1 << 28 })).catch(() => undefined);
};

const questionsFor = (sample: StoredDeviation, isSqlite: boolean): readonly Question[] => {
  const day = sample.occurredAt.slice(0, 10);
  const nextDay = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
  const [evidence = ''] = sample.evidenceEventIds;
  const trace = sample.traceId ?? '';
  const few = { limit: undefined };
  const many = { limit: LIMIT };
  return [
    { name: 'no filter', flags: [], filter: {}, where: 'true', ...many },
    {
      name: '--tipo',
      flags: ['--tipo', sample.tipo],
      filter: { tipos: [sample.tipo] },
      where: `tipo = '${sample.tipo}'`,
      ...many,
    },
    {
      name: '--agente',
      flags: ['--agente', sample.agente],
      filter: { agentes: [sample.agente] },
      where: `agente = '${sample.agente}'`,
      ...many,
    },
    {
      name: '--agente, one without any',
      flags: ['--agente', 'nobody'],
      filter: { agentes: ['nobody'] },
      where: "agente = 'nobody'",
      ...many,
    },
    {
      name: '--session',
      flags: ['--session', sample.sessionId],
      filter: { sessionIds: [sample.sessionId] },
      where: `session_id = '${sample.sessionId}'`,
      ...few,
    },
    {
      name: '--project',
      flags: ['--project', sample.projectId],
      filter: { projectIds: [sample.projectId] },
      where: `project_id = '${sample.projectId}'`,
      ...many,
    },
    {
      name: '--trace',
      flags: ['--trace', trace],
      filter: { traceIds: [trace] },
      where: `trace_id = '${trace}'`,
      ...few,
    },
    {
      name: '--event',
      flags: ['--event', sample.eventId],
      filter: { eventIds: [sample.eventId] },
      where: `id = '${sample.eventId}'`,
      ...few,
    },
    {
      name: '--evidence',
      flags: ['--evidence', evidence],
      filter: { evidenceIds: [evidence] },
      where: isSqlite
        ? `exists (select 1 from json_each(evidence_event_ids) where value = '${evidence}')`
        : `evidence_event_ids && array['${evidence}']::uuid[]`,
      ...few,
    },
    {
      name: '--since --until, a day',
      flags: ['--since', `${day}T00:00:00Z`, '--until', `${nextDay}T00:00:00Z`],
      filter: { sinceMs: Date.parse(day), untilMs: Date.parse(nextDay) },
      where: `occurred_at >= '${day}T00:00:00.000Z' and occurred_at < '${nextDay}T00:00:00.000Z'`,
      ...many,
    },
  ];
};

const ask = async (store: BenchStore, database: BenchDatabase, question: Question): Promise<Figure> => {
  const { name, flags, filter, limit, where } = question;
  const reader = openReader({ url: database.url });
  let found = 0;
  const inProcess = await median(TURNS, async () => {
    found = (await reader.deviations(filter, limit)).length;
  });
  await reader.close();
  const limited = limit === undefined ? [] : ['-n', String(limit)];
  const env = { ...process.env, DATABASE_URL: database.url };
  const whole = await median(3, () =>
    run(process.execPath, [PROGRAM, 'query', ...flags, ...limited, '-o', 'ndjson'], { env }),
  );
  const sql = `select * from session_events where type = 'anamnese.agent_deviation' and ${where} order by occurred_at desc, id desc`;
  const bare = await bareSql(database, limit === undefined ? sql : `${sql} limit ${limit}`);
  return {
    what: `${store.name}: query ${name}, ${found} rows`,
    ours: `${ms(whole)} whole command, ${ms(inProcess)} in process`,
    beside:
      bare === undefined
        ? 'no tool for bare SQL here'
        : `bare SQL by ${store.name === 'SQLite' ? 'sqlite3' : 'psql'} ${ms(bare)}`,
    target: `<= ${TARGET_MS} ms`,
    isMet: whole <= TARGET_MS,
  };
};

export const benchQuery = async (options: BenchOptions): Promise<readonly Figure[]> => {
  const figures: Figure[] = [];
  const all = await openStores();
  const named = all.filter(({ name }) => options.parts.includes(name.toLowerCase()));
  try {
    for (const store of named.length === 0 ? all : named) {
      const database = await store.create();
      try {
        const { perSecond } = await writeOnly(database, options.events, FLUSH_ROWS);
        options.say(`${store.name}: ${options.events.toLocaleString('en')} rows written, ${Math.round(perSecond)}/s`);
        await database.settle();
        const reader = openReader({ url: database.url });
        const newest = await reader.deviations({}, 1_000);
        await reader.close();
        const sample = newest.find(({ traceId, evidenceEventIds }) => traceId !== null && evidenceEventIds.length > 0);
        if (sample === undefined) throw new Error('no row with a trace and evidence');
        for (const question of questionsFor(sample, store.name === 'SQLite')) {
          figures.push(await ask(store, database, question));
        }
      } finally {
        await database.remove();
      }
    }
  } finally {
    for (const store of all) await store.close();
  }
  return figures;
};
