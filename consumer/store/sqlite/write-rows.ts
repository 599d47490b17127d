/** The verbs of a flush: each one statement, prepared once. All run inside the transaction of `sqlite-store.ts`. */
import type { DatabaseSync } from 'node:sqlite';
import { AGENT_DEVIATION, shownActor } from '../../../schemas/index.ts';
import type { MergedGraph } from '../../graph/merge.ts';
import type { DeviationRow, QuarantinePointer } from '../../outcome.ts';
import { QUARANTINED_AGAIN, shownRecordTime } from '../quarantine-entry.ts';
import type { PartitionKey } from '../store.ts';
import { wordOf } from './words.ts';

export type RowOutcome = 'stored' | 'duplicate' | 'clash';

export interface RowWriter {
  deviation(key: PartitionKey, row: DeviationRow, recordedAt: string): RowOutcome;
  quarantine(key: PartitionKey, pointer: QuarantinePointer, seenAt: string): void;
  graph(graph: MergedGraph): void;
}

const isoTime = (ms: number): string => new Date(ms).toISOString();

export const createRowWriter = (database: DatabaseSync): RowWriter => {
  const insertDeviation = database.prepare(`
    insert into session_events (id, type, session_id, project_id, actor, occurred_at, agente, tipo, evidence_event_ids,
      topic, partition, log_offset, schema_id, content_hash, trace_id, recorded_at)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    on conflict (id) do nothing`);
  // Both numbers as whole ones: the driver hands a number over as a float.
  const insertWords = database.prepare(`
    insert into session_event_words (rowid, words) values (cast(?1 as integer) * 4096 + cast(?2 as integer) % 4096, ?3)`);
  const storedHash = database.prepare('select content_hash from session_events where id = ?');
  const upsertQuarantine = database.prepare(`
    insert into quarantine (consumer, topic, partition, log_offset, reason, schema_id, size, record_time,
      first_seen_at, last_seen_at, attempts, state)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 'open')
    ${QUARANTINED_AGAIN}`);
  // The least (occurred_at, event_id) made a node, whatever the order of arrival.
  const upsertNode = database.prepare(`
    insert into graph_nodes (kind, id, event_id, occurred_at) values (?, ?, ?, ?)
    on conflict (kind, id) do update set event_id = excluded.event_id, occurred_at = excluded.occurred_at
      where (excluded.occurred_at, excluded.event_id) < (graph_nodes.occurred_at, graph_nodes.event_id)`);
  const upsertEdge = database.prepare(`
    insert into graph_edges (kind, from_id, to_id, event_id, occurred_at) values (?, ?, ?, ?, ?)
    on conflict (kind, from_id, to_id) do update set event_id = excluded.event_id, occurred_at = excluded.occurred_at
      where (excluded.occurred_at, excluded.event_id) < (graph_edges.occurred_at, graph_edges.event_id)`);
  // The greatest sets the level.
  const setLevel = database.prepare(`
    update graph_edges set level = ?4, level_event_id = ?5, level_occurred_at = ?6
    where kind = ?1 and from_id = ?2 and to_id = ?3
      and (level_occurred_at is null or (?6, ?5) > (level_occurred_at, level_event_id))`);

  return {
    deviation: (key, { event, offset, schemaId, contentHash, traceId }, recordedAt) => {
      const { changes } = insertDeviation.run(
        event.eventId,
        AGENT_DEVIATION,
        event.sessionId,
        event.projectId,
        shownActor(event.actor),
        isoTime(event.occurredAt),
        event.agente,
        event.tipo,
        JSON.stringify(event.evidenceEventIds),
        key.topic,
        key.partition,
        offset,
        schemaId,
        contentHash,
        traceId ?? null,
        recordedAt,
      );
      if (changes === 1) {
        const words = event.evidenceEventIds.map(wordOf);
        if (traceId !== undefined) words.push(wordOf(traceId));
        if (words.length > 0) insertWords.run(offset, key.partition, words.join(' '));
        return 'stored';
      }
      return storedHash.get(event.eventId)?.content_hash === contentHash ? 'duplicate' : 'clash';
    },

    quarantine: (key, { offset, reason, schemaId, size, recordTimeMs }, seenAt) => {
      upsertQuarantine.run(
        key.consumer,
        key.topic,
        key.partition,
        offset,
        reason,
        schemaId ?? null,
        size,
        shownRecordTime(recordTimeMs),
        seenAt,
        seenAt,
      );
    },

    graph: ({ nodes, edges }) => {
      for (const { kind, id, madeBy } of nodes) upsertNode.run(kind, id, madeBy.eventId, isoTime(madeBy.occurredAtMs));
      for (const { kind, fromId, toId, madeBy, level } of edges) {
        upsertEdge.run(kind, fromId, toId, madeBy.eventId, isoTime(madeBy.occurredAtMs));
        if (level === undefined) continue;
        setLevel.run(kind, fromId, toId, level.level, level.setBy.eventId, isoTime(level.setBy.occurredAtMs));
      }
    },
  };
};
