/**
 * Merging is free of order and of any clock: the least (occurredAt, eventId) made a node or an edge, the greatest sets a
 * level. Here within a batch; the adapters' statements hold to the same rule across batches.
 */
import type { Level } from '../../schemas/index.ts';
import type { EdgeKind, GraphChange, MadeBy, NodeKind } from './graph-change.ts';

export interface MergedNode {
  readonly kind: NodeKind;
  readonly id: string;
  readonly madeBy: MadeBy;
}

export interface MergedLevel {
  readonly level: Level;
  readonly setBy: MadeBy;
}

export interface MergedEdge {
  readonly kind: EdgeKind;
  readonly fromId: string;
  readonly toId: string;
  readonly madeBy: MadeBy;
  readonly level: MergedLevel | undefined;
}

export interface MergedGraph {
  readonly nodes: readonly MergedNode[];
  readonly edges: readonly MergedEdge[];
}

const isBefore = (a: MadeBy, b: MadeBy): boolean =>
  a.occurredAtMs === b.occurredAtMs ? a.eventId < b.eventId : a.occurredAtMs < b.occurredAtMs;

const earlier = (a: MadeBy, b: MadeBy): MadeBy => (isBefore(b, a) ? b : a);

const later = (a: MergedLevel | undefined, b: MergedLevel | undefined): MergedLevel | undefined =>
  a === undefined || (b !== undefined && isBefore(a.setBy, b.setBy)) ? b : a;

/** Sorted by key, so that concurrent writers lock in one order. */
const sorted = <V>(map: ReadonlyMap<string, V>): readonly V[] =>
  [...map].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);

export const mergeChanges = (changes: readonly GraphChange[]): MergedGraph => {
  const nodes = new Map<string, MergedNode>();
  const edges = new Map<string, MergedEdge>();
  for (const change of changes) {
    if (change.change === 'node') {
      const { kind, id, madeBy } = change;
      const key = `${kind} ${id}`;
      nodes.set(key, { kind, id, madeBy: earlier(nodes.get(key)?.madeBy ?? madeBy, madeBy) });
    } else {
      const { kind, fromId, toId, madeBy } = change;
      const key = `${kind} ${fromId} ${toId}`;
      const known = edges.get(key);
      const level = change.level === undefined ? undefined : { level: change.level, setBy: madeBy };
      edges.set(key, {
        kind,
        fromId,
        toId,
        madeBy: earlier(known?.madeBy ?? madeBy, madeBy),
        level: later(known?.level, level),
      });
    }
  }
  return { nodes: sorted(nodes), edges: sorted(edges) };
};
