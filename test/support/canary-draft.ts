/** A report in the making: right in every part, until a deed of `canary-places.ts` or `canary-alive.ts` changes it. */
import { TIPOS } from '../../schemas/index.ts';
import { createPlanter, type Planter } from './canary-plants.ts';
import { type Random, randomUuid } from './canary-random.ts';

export const CATALOGUE = ['desenvolvedor', 'revisor', 'arquiteto'] as const;

/** The parts that a deed needs to be as they were, or that it takes for itself. */
export type Part =
  | 'report'
  | 'context'
  | 'input'
  | 'evidence'
  | 'toolCallId'
  | 'occurredAt'
  | 'sessionEventIds'
  | 'huge';

export interface Draft {
  readonly random: Random;
  readonly plant: Planter;
  /** Beside `context` and `input`. */
  readonly report: Record<string, unknown>;
  readonly context: Record<string, unknown>;
  readonly input: Record<string, unknown>;
  readonly evidence: unknown[];
  /** The session's events. */
  readonly known: Set<string>;
  /** How the engine tells them. */
  lookUp: 'none' | 'list' | 'function';
  /** Done when every deed is done. */
  readonly atEnd: (() => void)[];
  /** Takes the place of what was drafted, when set. */
  instead: { report?: unknown; context?: unknown; input?: unknown };
}

export interface Deed {
  readonly place: string;
  readonly needs: readonly Part[];
  readonly plant: (draft: Draft) => void;
}

/** Own and enumerable, whatever the name: an assignment to `__proto__` would make none. */
export const put = (owner: object, key: PropertyKey, value: unknown): void => {
  Object.defineProperty(owner, key, { value, enumerable: true, configurable: true, writable: true });
};

export const draftReport = (core: string, random: Random): Draft => {
  const known = new Set(Array.from({ length: random.below(24) }, () => randomUuid(random)));
  const evidence: unknown[] = [...known].slice(0, random.below(known.size + 1));
  if (random.chance(0.2) && evidence.length > 0) evidence.push(String(evidence[0]).toUpperCase());
  const context: Record<string, unknown> = {
    sessionId: randomUuid(random),
    projectId: randomUuid(random),
    toolCallId: `call_${random.hex(8)}`,
    occurredAt: '2026-11-30T12:00:00.123-03:00',
  };
  if (random.chance(0.3)) context.traceparent = `00-${random.hex(31)}1-${random.hex(15)}1-01`;
  return {
    random,
    plant: createPlanter(core, random),
    report: {},
    context,
    input: { agente: random.pick(CATALOGUE), tipo: random.pick(TIPOS), evidenceEventIds: evidence },
    evidence,
    known,
    lookUp: random.pick(['none', 'list', 'list', 'list']),
    atEnd: [],
    instead: {},
  };
};

/** The report as the engine hands it over. */
export const finished = (draft: Draft): unknown => {
  const { context, input, report, instead, known, lookUp } = draft;
  for (const deed of draft.atEnd) deed();
  if (Object.hasOwn(instead, 'report')) return instead.report;
  if (!Object.hasOwn(context, 'sessionEventIds')) {
    if (lookUp === 'list') context.sessionEventIds = [...known];
    if (lookUp === 'function') context.sessionEventIds = () => Promise.resolve(known);
  }
  put(report, 'context', Object.hasOwn(instead, 'context') ? instead.context : context);
  put(report, 'input', Object.hasOwn(instead, 'input') ? instead.input : input);
  return report;
};
