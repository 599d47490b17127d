/** A second look at a quarantined record: what it stores and the entry's new state are one transaction. */
import type { DatabaseSync } from 'node:sqlite';
import { transaction } from '../../../wire/index.ts';
import { mergeChanges } from '../../graph/merge.ts';
import type { QuarantineKey, SecondLook, Settled } from '../quarantine-entry.ts';
import { isRowRefused } from './connection.ts';
import type { RowWriter } from './write-rows.ts';

export interface Settler {
  settle(key: QuarantineKey, look: SecondLook): Settled;
  /** Whether there was one to discard. */
  discard(key: QuarantineKey): boolean;
}

export const createSettler = (database: DatabaseSync, write: RowWriter): Settler => {
  const PLACE = 'consumer = ?1 and topic = ?2 and partition = ?3 and log_offset = ?4';
  const stateOf = database.prepare(`select state from quarantine where ${PLACE}`);
  const resolve = database.prepare(`
    update quarantine set state = 'resolved', resolved_at = ?5, last_seen_at = ?5, attempts = attempts + 1 where ${PLACE}`);
  const sawAgain = database.prepare(`update quarantine set last_seen_at = ?5, attempts = attempts + 1 where ${PLACE}`);
  const giveUp = database.prepare(
    `update quarantine set state = 'discarded', resolved_at = ?5 where ${PLACE} and state = 'open'`,
  );

  const apply = (key: QuarantineKey, look: SecondLook, now: string): Settled => {
    switch (look.kind) {
      case 'row':
        try {
          const outcome = write.deviation(key, look.row, now);
          return outcome === 'clash' ? { kind: 'wrong', reason: 'HASH_CLASH' } : { kind: outcome };
        } catch (error) {
          if (!isRowRefused(error)) throw error;
          return { kind: 'wrong', reason: 'ROW_REFUSED' };
        }
      case 'graph':
        write.graph(mergeChanges(look.changes));
        return { kind: 'stored' };
      case 'filtered':
      case 'wrong':
        return look;
      default:
        return look satisfies never;
    }
  };

  return {
    settle: (key, look) =>
      transaction(database, () => {
        const place = [key.consumer, key.topic, key.partition, key.offset] as const;
        const state = stateOf.get(...place)?.state;
        if (state === undefined) return { kind: 'no-entry' };
        if (state === 'resolved') return { kind: 'resolved-before' };
        const now = new Date().toISOString();
        const settled = apply(key, look, now);
        (settled.kind === 'wrong' ? sawAgain : resolve).run(...place, now);
        return settled;
      }),
    discard: ({ consumer, topic, partition, offset }) =>
      giveUp.run(consumer, topic, partition, offset, new Date().toISOString()).changes === 1,
  };
};
