/** The sink's judgement of one record: a row, not its type, or wrong with a reason. */
import { AGENT_DEVIATION, type AgentDeviation } from '../../schemas/index.ts';
import { contentHash, readHeader, traceIdOf } from '../../wire/index.ts';
import { pointTo, readRecord } from '../stream/read-record.ts';
import type { Judge } from '../stream/judge.ts';

const TAKES = [AGENT_DEVIATION] as const;

export interface SinkPolicy {
  /** The catalogue of agents; without it any well-formed slug is taken. */
  readonly agents: ReadonlySet<string> | undefined;
}

export const createSinkJudge = ({ agents }: SinkPolicy): Judge => ({
  takes: TAKES,
  judge: (record, contracts) => {
    const read = readRecord(record, TAKES, contracts);
    if (read.kind === 'foreign') return { kind: 'filtered' };
    if (read.kind === 'wrong') return { kind: 'quarantined', pointer: read.pointer };

    const { schemaId } = read;
    const decoded = read.decoder.decode(read.body);
    if (!decoded.readable) return { kind: 'quarantined', pointer: pointTo(record, decoded.reason, schemaId) };
    const event = decoded.event as AgentDeviation; // the only type that TAKES lets through

    if (record.key?.toString('utf8') !== event.sessionId) {
      return { kind: 'quarantined', pointer: pointTo(record, 'KEY_DISAGREES', schemaId) };
    }
    if (agents !== undefined && !agents.has(event.agente)) {
      return { kind: 'quarantined', pointer: pointTo(record, 'AGENTE_UNKNOWN', schemaId) };
    }
    return {
      kind: 'row',
      row: {
        event,
        offset: record.offset,
        schemaId,
        contentHash: contentHash(event),
        traceId: traceIdOf(readHeader(record.headers, 'traceparent')),
        size: record.value?.length ?? 0,
        recordTimeMs: record.recordTimeMs,
      },
    };
  },
});
