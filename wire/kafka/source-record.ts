/** A record as whoever reads the topic gets it. */
import type { RawHeaders } from '../headers.ts';
import type { Offset } from './offset.ts';

export interface SourceRecord {
  readonly offset: Offset;
  /** The topic's clock: milliseconds since 1970-01-01 UTC. */
  readonly recordTimeMs: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: RawHeaders;
}
