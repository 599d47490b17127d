/** The deviations of the examples in a SQLite file of its own, without a broker: what the reading tools are tried on. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate, openStore } from '../../consumer/index.ts';
import { contentHash, kafka, schemaId } from '../../wire/index.ts';
import { isTipo, type Tipo } from '../../schemas/index.ts';
import { EXPECTED_EVENTS } from './stack-examples.ts';

export interface ExampleTable {
  readonly folder: string;
  readonly env: { readonly DATABASE_URL: string };
  remove(): void;
}

const TRACE = '0af7651916cd43dd8448eb211c80319c';
/** Of the event whose engine gave no clock. */
const NO_CLOCK_AT = '2026-12-01T05:37:30.554Z';
const PARTITIONS = 6;

const tipoOf = (word: string): Tipo => {
  if (isTipo(word)) return word;
  throw new Error('the examples have a tipo of their own');
};

/** `empty`: the tables and nothing in them. */
export const exampleTable = async ({ empty = false } = {}): Promise<ExampleTable> => {
  const folder = mkdtempSync(join(tmpdir(), 'deviations-examples-'));
  const url = `sqlite:${join(folder, 'session-events.db')}`;
  await migrate({ url });
  if (!empty) {
    const store = await openStore({ url });
    for (let partition = 0; partition < PARTITIONS; partition += 1) {
      const key = { consumer: 'sink', topic: 'session-events', partition } as const;
      const { epoch } = await store.claim(key);
      const events = EXPECTED_EVENTS.filter((_, index) => index % PARTITIONS === partition);
      const rows = events.map(({ occurredAt = NO_CLOCK_AT, tipo, ...event }, index) => {
        const whole = {
          ...event,
          tipo: tipoOf(tipo),
          actor: 'agent_anamnese' as const,
          occurredAt: Date.parse(occurredAt),
        };
        return {
          event: whole,
          offset: kafka.offset(index),
          schemaId: schemaId(1),
          contentHash: contentHash(whole),
          traceId: partition === 0 ? TRACE : undefined,
          size: 200,
          recordTimeMs: Date.parse(occurredAt),
        };
      });
      await store.flush({
        ...key,
        epoch,
        fromOffset: undefined,
        nextOffset: kafka.offset(rows.length),
        rows,
        changes: [],
        projected: 0,
        quarantine: [],
        filtered: 0,
        witness: undefined,
      });
    }
    await store.close();
  }
  return { folder, env: { DATABASE_URL: url }, remove: () => rmSync(folder, { recursive: true }) };
};
