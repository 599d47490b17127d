/**
 * Where an accepted deviation goes. The durable outbox takes this place; until then the straight send stands here, and
 * `recorded` means that the broker acknowledged it.
 */
import type { OutgoingDeviation } from './outgoing.ts';
import type { RefusalCode } from './refusals.ts';

export type Recording = { readonly kept: true } | { readonly kept: false; readonly code: RefusalCode };

export interface Recorder {
  /** Never rejects. */
  record(deviation: OutgoingDeviation): Promise<Recording>;
  /** Waits until nothing waits any more, `limitMs` at most; answers how many still wait. */
  flush(limitMs: number): Promise<number>;
  /** Ends within the limit; answers how many still wait. */
  close(limitMs: number): Promise<number>;
}
