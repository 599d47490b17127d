/**
 * The judge of the consumers' faults: the topic, read by another client than ours, beside the table. Exactly the records that
 * must be rows are rows, by id, place and hash; exactly the wrong ones are in the quarantine; the counters of every partition
 * add up to its records; its position is the end of the log; and the group was never told more than the database has.
 */
import { hash } from 'node:crypto';
import avsc from 'avsc';
import { AGENT_DEVIATION, loadSchemaText } from '../../schemas/index.ts';
import type { SinkDatabase } from './faults-sink-database.ts';
import { EXPECTED } from './faults-sink-load.ts';
import type { TopicLog, TopicRecord } from './faults-sink-topic.ts';
import type { Findings, Tally, Tried } from './faults-tries.ts';

/** Offsets that were gone before they were read, in the topic's last life, as an operator adopted it. */
export interface Loss {
  readonly partition: number;
  readonly from: bigint;
  readonly to: bigint;
}

export interface Evidence {
  /** One of each life of the topic, the last one as it is now. */
  readonly logs: readonly TopicLog[];
  readonly losses: readonly Loss[];
  readonly database: Pick<SinkDatabase, 'select'>;
  readonly topic: string;
}

/** Avro itself, and none of our own decoding. */
const deviationType = avsc.Type.forSchema(JSON.parse(loadSchemaText(AGENT_DEVIATION)));
const FRAME_BYTES = 5;

interface Decoded {
  readonly id: string;
  readonly hash: string;
}

const decode = ({ value }: TopicRecord): Decoded => {
  const it = deviationType.fromBuffer(value?.subarray(FRAME_BYTES) ?? Buffer.alloc(0)) as Record<string, unknown>; // a record
  const parts = [it.eventId, it.sessionId, it.projectId, it.actor, it.agente, it.tipo, it.evidenceEventIds];
  return { id: String(it.eventId), hash: hash('sha256', JSON.stringify(parts)) };
};

const SHOWN = 5;

/** The first few, and how many more. */
const some = (list: readonly string[]): readonly string[] =>
  list.length > SHOWN ? [...list.slice(0, SHOWN), `and ${list.length - SHOWN} more`] : list;

/** What is in one and not in the other, both ways. */
const differing = (found: readonly string[], due: readonly string[]): { missing: string[]; extra: string[] } => {
  const [isFound, isDue] = [new Set(found), new Set(due)];
  return { missing: due.filter((one) => !isFound.has(one)), extra: found.filter((one) => !isDue.has(one)) };
};

const expected = ({ headers }: TopicRecord): string => headers.get(EXPECTED) ?? 'row';
const placeOf = (partition: unknown, offset: unknown): string => `${String(partition)}/${String(offset)}`;

/** The position and counters of each partition, as text. */
const standings = (rows: readonly Readonly<Record<string, unknown>>[]): ReadonlyMap<number, string> =>
  new Map(
    rows.map(({ partition, next_offset: next, stored, duplicate, filtered, quarantined }) => [
      Number(partition),
      [next, stored, duplicate, filtered, quarantined].map(String).join(' '),
    ]),
  );

export const judgeSink = async ({ logs, losses, database, topic }: Evidence): Promise<Tried> => {
  const now = logs.at(-1);
  if (now === undefined) throw new Error('the topic was not read');
  const isLost = ({ partition, offset }: TopicRecord): boolean =>
    losses.some((loss) => loss.partition === partition && offset >= loss.from && offset < loss.to);
  const due = logs.flatMap((log) => (log === now ? log.records.filter((record) => !isLost(record)) : log.records));

  const rows = await database.select(
    `select id, partition, log_offset, content_hash from session_events where topic = '${topic}'`,
  );
  const quarantine = await database.select(
    `select partition, log_offset, reason from quarantine where topic = '${topic}' and consumer = 'sink' and state = 'open'`,
  );
  const positions = await database.select(
    `select partition, next_offset, stored, duplicate, filtered, quarantined from stream_positions
     where topic = '${topic}' and consumer = 'sink' and next_offset is not null`,
  );
  const recorded = await database.select(
    `select partition, from_offset, to_offset from position_losses where topic = '${topic}' and consumer = 'sink'`,
  );

  const dueRows = due
    .filter((record) => expected(record) === 'row')
    .map((record) => ({ ...record, ...decode(record) }));
  const byId = Map.groupBy(dueRows, ({ id }) => id);
  const rowIds = rows.map(({ id }) => String(id));
  const ids = differing(rowIds, [...byId.keys()]);
  const misplaced = rows.filter(({ id, partition, log_offset: offset, content_hash: stored }) => {
    const copies = byId.get(String(id)) ?? [];
    const isOnePartition = new Set(copies.map((copy) => copy.partition)).size === 1 && logs.length === 1;
    const places = (isOnePartition ? copies.slice(0, 1) : copies).map((copy) => placeOf(copy.partition, copy.offset));
    return copies.length > 0 && !(places.includes(placeOf(partition, offset)) && copies[0]?.hash === stored);
  });

  const wrong = due.filter((record) => !['row', 'filtered'].includes(expected(record)));
  /** A record of the topic's next life takes the place of a former one. */
  const wrongByPlace = new Map(wrong.map((record) => [placeOf(record.partition, record.offset), record]));
  const asides = differing(
    quarantine.map(({ partition, log_offset: offset, reason }) => `${placeOf(partition, offset)} ${String(reason)}`),
    [...wrongByPlace].map(([place, record]) => `${place} ${expected(record)}`),
  );

  const counts = [...now.ends].map(([partition, end]) => {
    const here = due.filter((record) => record.partition === partition);
    const stored = rows.filter((row) => Number(row.partition) === partition).length;
    const filtered = here.filter((record) => expected(record) === 'filtered').length;
    const quarantined = wrong.filter((record) => record.partition === partition).length;
    return { partition, end, stored, duplicate: here.length - stored - filtered - quarantined, filtered, quarantined };
  });
  const standing = standings(positions);
  const miscounted = counts.flatMap(({ partition, end, stored, duplicate, filtered, quarantined }) => {
    if (end === 0n) return [];
    const right = [end, stored, duplicate, filtered, quarantined].join(' ');
    const found = standing.get(partition);
    return found === right ? [] : [`partition ${partition}: ${found} instead of ${right}`];
  });
  const adopted = differing(
    recorded.map((row) => `${placeOf(row.partition, row.from_offset)} to ${String(row.to_offset)}`),
    losses.map(({ partition, from, to }) => `${placeOf(partition, from)} to ${to}`),
  );

  const verdict: Findings = {
    missing: some(ids.missing),
    extra: some(ids.extra),
    doubled: some(rowIds.filter((id, index) => rowIds.indexOf(id) !== index)),
    misplaced: some(misplaced.map(({ id }) => String(id))),
    notQuarantined: some(asides.missing),
    quarantined: some(asides.extra),
    miscounted,
    losses: some([...adopted.missing, ...adopted.extra]),
  };
  const sum = (of: (count: (typeof counts)[number]) => number): number => counts.reduce((all, one) => all + of(one), 0);
  const tally: Tally = {
    records: due.length,
    rows: rows.length,
    duplicate: sum(({ duplicate }) => duplicate),
    filtered: sum(({ filtered }) => filtered),
    quarantined: quarantine.length,
  };
  return { verdict, tally };
};
