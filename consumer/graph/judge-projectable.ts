/** The projection's judgement of one record: changes of the graph, not its type, or wrong with a reason. */
import { AGENT_DEVIATION, EVENTOS_DO_LOG_PROJETAVEIS } from '../../schemas/index.ts';
import { readHeader } from '../../wire/index.ts';
import { pointTo, readRecord } from '../stream/read-record.ts';
import type { Judge } from '../stream/judge.ts';
import { GraphEventTranslator, type ProjectableEvent } from './graph-event-translator.ts';

export const graphJudge: Judge = {
  takes: EVENTOS_DO_LOG_PROJETAVEIS,
  judge: (record, contracts) => {
    const read = readRecord(record, EVENTOS_DO_LOG_PROJETAVEIS, contracts);
    if (read.kind === 'foreign') return { kind: 'filtered' };
    if (read.kind === 'wrong') return { kind: 'quarantined', pointer: read.pointer };

    // Whatever its schema id says by now: what was sent as a deviation never enters the graph.
    if (readHeader(record.headers, 'ce_type') === AGENT_DEVIATION) {
      return { kind: 'quarantined', pointer: pointTo(record, 'TYPE_DISAGREES', read.schemaId) };
    }
    const decoded = read.decoder.decode(read.body);
    if (!decoded.readable) return { kind: 'quarantined', pointer: pointTo(record, decoded.reason, read.schemaId) };
    if (record.key?.toString('utf8') !== decoded.event.sessionId) {
      return { kind: 'quarantined', pointer: pointTo(record, 'KEY_DISAGREES', read.schemaId) };
    }
    // The decoder of a type answers events of that type, and `takes` lets only projectable ones through.
    const projectable = { type: read.type, event: decoded.event } as ProjectableEvent;
    return { kind: 'graph', changes: GraphEventTranslator.translate(projectable) };
  },
};
