/**
 * Turns an event of the log into changes of the person's graph, and nothing else: pure, without clock or store.
 * It knows the types of `EVENTOS_DO_LOG_PROJETAVEIS` alone. A deviation cannot even be handed to it: the compiler
 * refuses it, because the graph is the person's memory and the signal is not theirs (ADR 0205, decision 3).
 */
import type { ProjectableType, SessionEvents } from '../../schemas/index.ts';
import type { EdgeKind, GraphChange, MadeBy, NodeKind } from './graph-change.ts';

export type ProjectableEvent = {
  [T in ProjectableType]: { readonly type: T; readonly event: SessionEvents[T] };
}[ProjectableType];

const node = (kind: NodeKind, id: string, madeBy: MadeBy): GraphChange => ({ change: 'node', kind, id, madeBy });

const edge = (kind: EdgeKind, fromId: string, toId: string, madeBy: MadeBy): GraphChange & { change: 'edge' } => ({
  change: 'edge',
  kind,
  fromId,
  toId,
  level: undefined,
  madeBy,
});

export const GraphEventTranslator = {
  translate: (projectable: ProjectableEvent): readonly GraphChange[] => {
    const { eventId, occurredAt } = projectable.event;
    const madeBy: MadeBy = { eventId, occurredAtMs: occurredAt };
    switch (projectable.type) {
      case 'anamnese.proficiency_emitted': {
        const { personId, competencyId, level } = projectable.event;
        return [
          node('person', personId, madeBy),
          node('competency', competencyId, madeBy),
          { ...edge('proficient_in', personId, competencyId, madeBy), level },
        ];
      }
      case 'anamnese.fact_accepted': {
        const { personId, factId } = projectable.event;
        return [
          node('person', personId, madeBy),
          node('fact', factId, madeBy),
          edge('accepted', personId, factId, madeBy),
        ];
      }
      default:
        return projectable satisfies never;
    }
  },
} as const;
