/** Whether a flush may write, by what stands in the position's row under its lock. */
import type { kafka } from '../../wire/index.ts';
import type { FlushAnswer, FlushRequest } from './store.ts';

export interface Standing {
  readonly epoch: number;
  readonly position: kafka.Offset | undefined;
}

/** Undefined: it may. The stored position never goes back, and no record is counted twice. */
export const whyNot = (request: FlushRequest, standing: Standing | undefined): FlushAnswer | undefined => {
  if (standing === undefined || standing.epoch !== request.epoch) return { kind: 'epoch-lost' };
  const { position } = standing;
  if (position === request.fromOffset && request.nextOffset > (position ?? -1n)) return undefined;
  // The same epoch and just where this flush leads: its commit came through, only the answer did not.
  return position === request.nextOffset ? { kind: 'flushed-before' } : { kind: 'position-moved' };
};
