import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createSinkJudge, type Judge, migrate, openStore } from '../../consumer/index.ts';
import {
  AGENT_DEVIATION,
  EVENT_TYPES,
  ID_KINDS,
  lintSchemas,
  loadSchemaText,
  loadSchemaTexts,
  publishedTexts,
  TIPOS,
} from '../../schemas/index.ts';
import { frame, judgeWriter, kafka, QUARANTINE_REASONS, type SchemaId, schemaId } from '../../wire/index.ts';
import { bodyOf } from '../support/avro-bytes.ts';
import { SESSION } from '../support/builders.ts';
import { createPlanter } from '../support/canary-plants.ts';
import { CATALOGUE } from '../support/canary-draft.ts';
import { FOREIGN_KINDS, foreignRecord, writerTexts } from '../support/canary-foreign.ts';
import { createRandom } from '../support/canary-random.ts';
import { select } from '../support/stack-database.ts';

describe('the schemas', () => {
  const TEXTS = [
    ...loadSchemaTexts(),
    ...EVENT_TYPES.flatMap((type) => publishedTexts(type).map((text) => ({ type, text }))),
  ];

  /** Every node of a schema that is a string, wherever it stands. */
  const stringsIn = (node: unknown): readonly unknown[] => {
    if (node === 'string') return [node];
    if (typeof node !== 'object' || node === null) return [];
    if (Reflect.get(node, 'type') === 'string') return [node];
    const inner = ['type', 'items', 'values', 'fields'].map((key): unknown => Reflect.get(node, key));
    return (Array.isArray(node) ? node : inner).flatMap(stringsIn);
  };

  test('pass the lint, which knows no free string', () => {
    expect(lintSchemas(loadSchemaTexts())).toEqual([]);
  });

  test.each(TEXTS.map(({ type, text }, at) => [`${type} (${at})`, text] as const))(
    '%s: every string is an id',
    (_, text) => {
      const strings = stringsIn(JSON.parse(text));
      expect(strings.length).toBeGreaterThan(3);
      const kinds = strings.map((node) => String(Reflect.get(Object(node), 'logicalType')));
      expect(kinds.filter((kind) => !Object.hasOwn(ID_KINDS, kind))).toEqual([]);
    },
  );

  test('a free string, wherever it stands, is seen', () => {
    const free = { type: 'record', fields: [{ name: 'a', type: { type: 'array', items: 'string' } }] };
    expect(stringsIn(free)).toEqual(['string']);
  });
});

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const oneOf = (words: readonly string[]): RegExp => new RegExp(`^(?:${words.join('|')})$`);

/** A closed form for every text that a sink writes; a column without one fails the test. */
const FORMS: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  session_events: {
    id: UUID,
    type: /^anamnese\.agent_deviation$/,
    session_id: UUID,
    project_id: UUID,
    actor: /^agent\/anamnese$/,
    occurred_at: TIME,
    agente: oneOf(CATALOGUE),
    tipo: oneOf(TIPOS),
    evidence_event_ids: /^\[(?:"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"(?:,(?!\])|(?=\]))){0,20}\]$/,
    topic: /^session-events$/,
    content_hash: /^[0-9a-f]{64}$/,
    trace_id: /^[0-9a-f]{32}$/,
    recorded_at: TIME,
  },
  quarantine: {
    consumer: /^sink$/,
    topic: /^session-events$/,
    reason: oneOf(QUARANTINE_REASONS),
    record_time: TIME,
    first_seen_at: TIME,
    last_seen_at: TIME,
    state: /^open$/,
    resolved_at: /^$/,
  },
};
const TABLES = Object.keys(FORMS);

interface ColumnRow {
  readonly name: string;
  readonly type: string;
}

describe('the table of a sink that was fed by careless and hostile writers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'no-free-text-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const IDS = { ours: 1, wider: 2, tomorrows: 3, foreignContract: 4, foreignType: 5, unknown: 6 } as const;
  const texts = writerTexts('x', 'x');
  const contracts = new Map<SchemaId, ReturnType<typeof judgeWriter>>(
    Object.entries({ ...texts, ours: loadSchemaText(AGENT_DEVIATION) }).map(([writer, text]) => [
      schemaId(IDS[writer as keyof typeof IDS]),
      judgeWriter(text),
    ]),
  );

  const recordsOf = (seed: number) => {
    const random = createRandom(seed, 0);
    const hostile = Array.from({ length: 20 }, () => FOREIGN_KINDS).flat();
    // The same id under another content: the table itself quarantines the second.
    const clash = [0, 1].map((tipo) => ({
      key: Buffer.from(SESSION),
      value: frame(schemaId(IDS.ours), bodyOf({ tipo: Buffer.from([2 * tipo]) })),
      headers: { traceparent: Buffer.from(`00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`) },
    }));
    return [
      ...hostile.map((kind) => foreignRecord(kind, IDS, createPlanter(random.digits(12), random), random)),
      ...clash,
    ];
  };

  /** Judged and stored; answers the file. */
  const fed = async (name: string, judge: Judge): Promise<string> => {
    const file = join(folder, `${name}.db`);
    const url = `sqlite:${file}`;
    await migrate({ url });
    const store = await openStore({ url });
    const key = { consumer: 'sink', topic: 'session-events', partition: 0 } as const;
    const { epoch } = await store.claim(key);
    const judged = recordsOf(5).map((record, at) =>
      judge.judge({ offset: kafka.offset(at), recordTimeMs: 2 ** 60, ...record }, contracts),
    );
    const flushed = await store.flush({
      ...key,
      epoch,
      fromOffset: undefined,
      rows: judged.flatMap((one) => (one.kind === 'row' ? [one.row] : [])),
      changes: [],
      projected: 0,
      quarantine: judged.flatMap((one) => (one.kind === 'quarantined' ? [one.pointer] : [])),
      filtered: judged.filter(({ kind }) => kind === 'filtered').length,
      nextOffset: kafka.offset(judged.length),
      witness: undefined,
    });
    await store.close();
    if (flushed.kind !== 'flushed') throw new Error(`the flush was ${flushed.kind}`);
    return file;
  };

  const columnsOf = (file: string, table: string): readonly ColumnRow[] =>
    select(file, `select name, type from pragma_table_info('${table}')`) as unknown as readonly ColumnRow[]; // its columns

  /** Each text of the table that is not of its column's form. */
  const strays = (file: string, table: string): readonly string[] =>
    columnsOf(file, table)
      .filter(({ type }) => type.toUpperCase() !== 'INTEGER')
      .flatMap(({ name }) =>
        select(file, `select "${name}" as value from ${table} where "${name}" is not null`)
          .map(({ value }) => String(value))
          .filter((value) => FORMS[table]?.[name]?.test(value) !== true)
          .map((value) => `${name}: ${value}`),
      );

  let file: string;
  beforeAll(async () => {
    file = await fed('right', createSinkJudge({ agents: new Set(CATALOGUE) }));
  });

  test.each(TABLES)('has a closed form for every text column of %s', (table) => {
    const columns = columnsOf(file, table).filter(({ type }) => type.toUpperCase() !== 'INTEGER');
    expect(columns.map(({ name }) => name).sort()).toEqual(Object.keys(FORMS[table] ?? {}).sort());
  });

  test.each(TABLES)('holds nothing else in %s', (table) => {
    expect(select(file, `select 1 from ${table}`).length).toBeGreaterThan(30);
    expect(strays(file, table)).toEqual([]);
  });

  test('has met nearly every reason there is', () => {
    const reasons = select(file, 'select distinct reason from quarantine').map(({ reason }) => reason);
    expect(QUARANTINE_REASONS.filter((reason) => !reasons.includes(reason))).toEqual(['ROW_REFUSED']);
  });

  test('would show the header of a sink that takes a trace as it came, and the slug of one without a catalogue', async () => {
    const right = createSinkJudge({ agents: undefined });
    const careless: Judge = {
      ...right,
      judge: (record, known) => {
        const judged = right.judge(record, known);
        const traceId = String(record.headers['traceparent']);
        return judged.kind === 'row' ? { ...judged, row: { ...judged.row, traceId } } : judged;
      },
    };
    const found = strays(await fed('careless', careless), 'session_events').join('\n');
    expect(found).toMatch(/trace_id: /);
    expect(found).toMatch(/agente: (maria|ana-paula|x)-\d{12}/);
  });
});
