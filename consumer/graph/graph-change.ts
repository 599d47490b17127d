/** What an event adds to the person's graph. Each node and edge carries the event that made it. */
import type { Level } from '../../schemas/index.ts';

export type NodeKind = 'person' | 'competency' | 'fact';
export type EdgeKind = 'proficient_in' | 'accepted';

/** The event behind a change; its order among others is (occurredAtMs, eventId), never the order of arrival. */
export interface MadeBy {
  readonly eventId: string;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly occurredAtMs: number;
}

export type GraphChange =
  | { readonly change: 'node'; readonly kind: NodeKind; readonly id: string; readonly madeBy: MadeBy }
  | {
      readonly change: 'edge';
      readonly kind: EdgeKind;
      readonly fromId: string;
      readonly toId: string;
      /** Only a proficiency has one; the greatest (occurredAt, eventId) sets it. */
      readonly level: Level | undefined;
      readonly madeBy: MadeBy;
    };
