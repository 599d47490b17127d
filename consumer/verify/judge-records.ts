/** Some records of one partition against the table and the quarantine. */
import { AGENT_DEVIATION, type AgentDeviation } from '../../schemas/index.ts';
import { contentHash, type IdContract, type kafka, type SchemaId } from '../../wire/index.ts';
import { eventFields } from '../look/quarantined-records.ts';
import type { Judged } from '../outcome.ts';
import { type QuarantineEntry, shownRecordTime } from '../store/quarantine-entry.ts';
import type { StoredDeviation, StoreReader } from '../store/store.ts';
import type { Judge } from '../stream/judge.ts';
import type { Finding, Problem, RecordOutcome } from './finding.ts';
import type { PlaceSet } from './place-set.ts';
import type { PartitionScope } from './scope.ts';

export interface RecordJudging {
  readonly topic: string;
  readonly reader: Pick<StoreReader, 'deviations' | 'quarantinedIn'>;
  /** The sink's own. */
  readonly judge: Judge;
  readonly places: PlaceSet;
}

/** By the columns, not by the hash beside them: somebody may have changed a row. */
const hashOfRow = (row: StoredDeviation): string =>
  contentHash({
    eventId: row.eventId,
    sessionId: row.sessionId,
    projectId: row.projectId,
    occurredAt: 0,
    actor: 'agent_anamnese',
    agente: row.agente,
    tipo: row.tipo as AgentDeviation['tipo'], // only hashed, whatever the column holds
    evidenceEventIds: row.evidenceEventIds,
  });

interface Meant {
  readonly record: kafka.SourceRecord;
  readonly judged: Judged;
  /** Of its event, when its body is right. */
  readonly eventId: string | undefined;
}

const meantBy = (record: kafka.SourceRecord, contracts: ReadonlyMap<SchemaId, IdContract>, judge: Judge): Meant => {
  const judged = judge.judge(record, contracts);
  if (judged.kind === 'row') return { record, judged, eventId: judged.row.event.eventId };
  if (judged.kind !== 'quarantined') return { record, judged, eventId: undefined };
  const fields = eventFields(record, contracts);
  const eventId = fields?.type === AGENT_DEVIATION ? String(fields.eventId) : undefined;
  return { record, judged, eventId };
};

export const judgeRecords = async (
  { topic, reader, judge, places }: RecordJudging,
  { sums, givenUp, anewAt }: PartitionScope,
  records: readonly kafka.SourceRecord[],
  contracts: ReadonlyMap<SchemaId, IdContract>,
): Promise<readonly Finding[]> => {
  const { partition } = sums;
  const [first, last] = [records[0], records.at(-1)];
  if (first === undefined || last === undefined) return [];
  const meant = records.map((record) => meantBy(record, contracts, judge));
  const ids = new Set(meant.flatMap(({ eventId }) => (eventId === undefined ? [] : [eventId])));
  const rows = Map.groupBy(ids.size === 0 ? [] : await reader.deviations({ eventIds: [...ids] }), (row) => row.eventId);
  const findings: Finding[] = [];
  let entries: ReadonlyMap<bigint, QuarantineEntry> | undefined;

  const entryOf = async (record: kafka.SourceRecord): Promise<QuarantineEntry | undefined> => {
    const end = (last.offset + 1n) as kafka.Offset; // of the same partition's records
    entries ??= new Map(
      (await reader.quarantinedIn({ consumer: 'sink', topic, partition }, first.offset, end)).map((one) => [
        one.offset,
        one,
      ]),
    );
    const entry = entries.get(record.offset);
    // One of an older log under the same name says nothing of this record.
    const isOfIt =
      entry?.size === (record.value?.length ?? 0) && entry.recordTime === shownRecordTime(record.recordTimeMs);
    return isOfIt ? entry : undefined;
  };

  const find = (
    problem: Problem,
    { record, eventId = null }: Pick<Meant, 'record'> & { eventId?: string | null | undefined },
    detail: string,
  ): void => {
    sums[problem] += 1;
    findings.push({ problem, partition, offset: record.offset, eventId, detail });
  };
  const end = (outcome: RecordOutcome): void => {
    sums[outcome] += 1;
  };

  const isHere = (row: StoredDeviation, { offset }: kafka.SourceRecord): boolean =>
    row.topic === topic && row.partition === partition && row.offset === String(offset);

  /** In neither as far as the table goes: the quarantine must have it, or an operator must have given it up. */
  const withoutRow = async (one: Meant, why: string): Promise<void> => {
    const entry = await entryOf(one.record);
    const isStoredByEntry = entry?.state === 'resolved' && one.judged.kind === 'row';
    if (entry !== undefined && !isStoredByEntry) end('quarantined');
    else if (givenUp.some(({ from, to }) => one.record.offset >= from && one.record.offset < to)) end('givenUp');
    else find('missing', one, entry === undefined ? why : `${why}, though its entry in quarantine is resolved`);
  };

  const doubled = new Set<string>();
  for (const one of meant) {
    const { record, judged, eventId } = one;
    sums.records += 1;
    if (judged.kind === 'filtered' || judged.kind === 'graph') {
      end('filtered');
      continue;
    }
    const ofEvent = rows.get(eventId ?? '') ?? [];
    const own = ofEvent.find((row) => isHere(row, record));
    if (own !== undefined) places.meet(partition, record.offset);
    if (ofEvent.length > 1 && eventId !== undefined && !doubled.has(eventId)) {
      doubled.add(eventId);
      find('doubled', one, `${ofEvent.length} rows under its id`);
    }
    if (judged.kind === 'quarantined') {
      // Its row was stored under another catalogue of agents, or by hand; nothing says that it is wrong.
      if (own !== undefined) end('stored');
      else await withoutRow(one, `no row and no entry in quarantine (${judged.pointer.reason})`);
      continue;
    }
    const { event, contentHash: hash } = judged.row;
    const isRight = (row: StoredDeviation): boolean => row.contentHash === hash && hashOfRow(row) === hash;
    if (own !== undefined && isRight(own)) {
      if (own.occurredAt === new Date(event.occurredAt).toISOString()) end('stored');
      else find('wrong', one, 'its row has another time');
    } else if (own !== undefined && (anewAt === undefined || own.recordedAt >= anewAt)) {
      find('wrong', one, 'its row says otherwise');
    } else if (ofEvent.some(isRight)) end('duplicate');
    else
      await withoutRow(
        one,
        ofEvent.length === 0
          ? 'no row and no entry in quarantine'
          : 'another event under its id, and no entry in quarantine',
      );
  }
  return findings;
};
