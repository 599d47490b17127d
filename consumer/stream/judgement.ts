/**
 * What becomes of a slice's records. Its rows are judged while the store goes through them and are not kept: two thousand
 * of them, held until the database answers, are what the garbage collector would have to copy. Whoever goes through them
 * again has them judged again; what else was judged is ready once somebody has gone through, or is asked for.
 */
import type { IdContract, kafka, SchemaId } from '../../wire/index.ts';
import type { GraphChange } from '../graph/graph-change.ts';
import type { DeviationRow, QuarantinePointer } from '../outcome.ts';
import type { FlushRequest } from '../store/store.ts';
import type { Judge } from './judge.ts';

export type Judgement = Pick<FlushRequest, 'rows' | 'changes' | 'projected' | 'quarantine' | 'filtered'>;

export const NOTHING_JUDGED: Judgement = { rows: [], changes: [], projected: 0, quarantine: [], filtered: 0 };

interface Others {
  readonly changes: GraphChange[];
  readonly quarantine: QuarantinePointer[];
  projected: number;
  filtered: number;
}

export const judgement = (
  judge: Judge,
  records: readonly kafka.SourceRecord[],
  contracts: ReadonlyMap<SchemaId, IdContract>,
): Judgement => {
  let ready: Others | undefined;
  /** Judged because something else was asked for first; the next who goes through the rows has them. */
  let kept: readonly DeviationRow[] | undefined;

  function* judgeAll(): Generator<DeviationRow, Others> {
    const others: Others = { changes: [], quarantine: [], projected: 0, filtered: 0 };
    for (const record of records) {
      const judged = judge.judge(record, contracts);
      switch (judged.kind) {
        case 'row':
          yield judged.row;
          break;
        case 'graph':
          others.changes.push(...judged.changes);
          others.projected += 1;
          break;
        case 'quarantined':
          others.quarantine.push(judged.pointer);
          break;
        case 'filtered':
          others.filtered += 1;
          break;
        default:
          judged satisfies never;
      }
    }
    ready = others;
    return others;
  }

  const others = (): Others => {
    if (ready !== undefined) return ready;
    const judging = judgeAll();
    const rows: DeviationRow[] = [];
    for (;;) {
      const next = judging.next();
      if (next.done === true) {
        kept = rows;
        return next.value;
      }
      rows.push(next.value);
    }
  };

  const rowsOnce = (): Iterator<DeviationRow> => {
    if (kept === undefined) return judgeAll();
    const given = kept;
    kept = undefined;
    return given.values();
  };

  return {
    rows: { [Symbol.iterator]: rowsOnce },
    get changes() {
      return others().changes;
    },
    get projected() {
      return others().projected;
    },
    get quarantine() {
      return others().quarantine;
    },
    get filtered() {
      return others().filtered;
    },
  };
};
