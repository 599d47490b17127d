/** What the suite hands to a store: rows, changes and pointers, right unless told otherwise. */
import type { FlushRequest, Store, StoreInspector, StoreReader } from '../../consumer/index.ts';
import { contentHash, kafka, schemaId } from '../../wire/index.ts';
import type { AgentDeviation } from '../../schemas/index.ts';
import { aDeviation, NOON_MS, uuidNo } from '../support/builders.ts';

/** A database of its own, migrated and empty. */
export interface StoreUnderTest {
  openStore(): Promise<Store>;
  openReader(): StoreReader;
  openInspector(): StoreInspector;
  /** By a hand that knows SQL. */
  change(sql: string): Promise<void>;
  close(): Promise<void>;
}

export type OpenStoreUnderTest = () => Promise<StoreUnderTest>;

export const TOPIC = 'session-events';
export const KEY = { consumer: 'sink', topic: TOPIC, partition: 3 } as const;

type Row = FlushRequest['rows'] extends Iterable<infer R> ? R : never;
type Pointer = FlushRequest['quarantine'][number];

export const aRow = (n: number, event: Partial<AgentDeviation> = {}, more: Partial<Row> = {}): Row => {
  const whole = aDeviation({ eventId: uuidNo(n), ...event });
  return {
    event: whole,
    offset: kafka.offset(n),
    schemaId: schemaId(7),
    contentHash: contentHash(whole),
    traceId: undefined,
    size: 200,
    recordTimeMs: NOON_MS,
    ...more,
  };
};

export const aPointer = (n: number, more: Partial<Pointer> = {}): Pointer => ({
  offset: kafka.offset(n),
  reason: 'NOT_FRAMED',
  schemaId: undefined,
  size: 12,
  recordTimeMs: NOON_MS,
  ...more,
});

/** A flush with nothing in it but the move from one offset to another. */
export const aFlush = (
  epoch: number,
  from: number | undefined,
  to: number,
  more: Partial<FlushRequest> = {},
): FlushRequest => ({
  ...KEY,
  epoch,
  fromOffset: from === undefined ? undefined : kafka.offset(from),
  nextOffset: kafka.offset(to),
  rows: [],
  changes: [],
  projected: 0,
  quarantine: [],
  filtered: 0,
  witness: undefined,
  ...more,
});

export const eventIdsIn = async (reader: StoreReader): Promise<readonly string[]> =>
  (await reader.deviations({})).map(({ eventId }) => eventId).sort();

export const positionOf = async (reader: StoreReader): Promise<string | undefined> => {
  const rows = await reader.positions(TOPIC);
  const row = rows.find(({ consumer, partition }) => consumer === KEY.consumer && partition === KEY.partition);
  return row === undefined ? undefined : String(row.position);
};

/** Adapters give whole numbers as number, text or bigint. */
export const quarantineIn = async (reader: StoreReader): Promise<readonly string[]> =>
  (
    await reader.select(
      'select log_offset, reason, attempts, state, schema_id, size from quarantine order by log_offset',
    )
  ).map((row) =>
    [row.log_offset, row.reason, row.attempts, row.state, row.schema_id ?? '-', row.size].map(String).join(' '),
  );
