/**
 * From what a model said, any JSON value whatsoever, to a checked report or a code. The three fields are picked; nothing
 * is unwrapped, folded, trimmed or guessed; nothing of the model's object is kept.
 */
import { isAgentId, isTipo, parseUuid, type Tipo } from '../schemas/index.ts';
import { type CheckedContext, type ContextPolicy, checkContext } from './context.ts';
import { type CheckedEvidence, checkEvidence } from './evidence.ts';
import { EVIDENCE_LIST_LIMIT, type RefusalCode } from './refusals.ts';

/** One call of the tool, as the engine hands it over. */
export interface Report {
  readonly context: unknown;
  readonly input?: unknown;
}

export interface CheckedReport {
  readonly agente: string;
  readonly tipo: Tipo;
  readonly evidence: CheckedEvidence;
  /** How many fields the model added; they are counted, never named. */
  readonly discardedFields: number;
}

export type Checked =
  | { readonly fine: true; readonly context: CheckedContext; readonly report: CheckedReport }
  | { readonly fine: false; readonly code: RefusalCode };

export interface ReportPolicy extends ContextPolicy {
  /** The slugs of the product's agents. */
  readonly agents: ReadonlySet<string>;
}

const REPORT_FIELDS = ['agente', 'tipo', 'evidenceEventIds'] as const;
type ReportField = (typeof REPORT_FIELDS)[number];

/** What a model said, read once: a caller's getter or proxy cannot answer differently the second time. */
interface Said {
  readonly fields: Readonly<Record<ReportField, unknown>>;
  readonly discardedFields: number;
}

/** An object as JSON has it. Prototypes are compared by depth: those of another realm are other objects. */
const isPlainObject = (value: unknown): value is object => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
};

/** A data property's value; an accessor is no JSON, and running a caller's code is not needed to say so. */
const dataOf = (owner: object, key: string): unknown => Object.getOwnPropertyDescriptor(owner, key)?.value;

/** A copy of the caller's list, whose length is asked for once; past the limit it is only so long that it is seen to be. */
const listOf = (value: unknown): unknown => {
  if (!Array.isArray(value)) return value;
  const length = Math.min(value.length, EVIDENCE_LIST_LIMIT + 1);
  const list: unknown[] = [];
  for (let index = 0; index < length; index += 1) list.push(dataOf(value, String(index)));
  return list;
};

const hear = (input: unknown): Said | undefined => {
  if (!isPlainObject(input)) return undefined;
  const keys = Reflect.ownKeys(input);
  return {
    fields: {
      agente: dataOf(input, 'agente'),
      tipo: dataOf(input, 'tipo'),
      evidenceEventIds: listOf(dataOf(input, 'evidenceEventIds')),
    },
    discardedFields: keys.filter((key) => !(REPORT_FIELDS as readonly unknown[]).includes(key)).length,
  };
};

const candidatesIn = (said: Said | undefined): readonly string[] => {
  const list = said?.fields.evidenceEventIds;
  if (!Array.isArray(list) || list.length > EVIDENCE_LIST_LIMIT) return [];
  return [...new Set(list.map(parseUuid).filter((id) => id !== undefined))];
};

const isList = (value: unknown): value is readonly unknown[] | null | undefined =>
  value === undefined || value === null || Array.isArray(value);

const refuse = (code: RefusalCode): Checked => ({ fine: false, code });

const attempt = <T>(work: () => T): T | undefined => {
  try {
    return work();
  } catch {
    return undefined;
  }
};

/** Never throws or rejects. The checks run in the order of the refusals' list. */
export const checkReport = async (report: unknown, policy: ReportPolicy): Promise<Checked> => {
  const [context, input] = attempt(() => {
    const given = report as Report; // members of anything, asked for in a try
    return [given.context, given.input] as const;
  }) ?? [undefined, undefined];
  const said = attempt(() => hear(input));

  const judged = attempt(() => checkContext(context, () => candidatesIn(said), policy));
  // Only a look-up is waited for.
  const checkedContext = judged instanceof Promise ? await judged.catch(() => undefined) : judged;
  if (checkedContext === undefined) return refuse('CONTEXT_INVALID');
  if (said === undefined) return refuse('INPUT_NOT_AN_OBJECT');

  const { agente, tipo, evidenceEventIds } = said.fields;
  if (!isTipo(tipo)) return refuse('TIPO_UNKNOWN');
  if (!isAgentId(agente) || !policy.agents.has(agente)) return refuse('AGENTE_UNKNOWN');
  if (!isList(evidenceEventIds)) return refuse('EVIDENCE_NOT_A_LIST');
  const list = evidenceEventIds ?? [];
  if (list.length > EVIDENCE_LIST_LIMIT) return refuse('EVIDENCE_TOO_LONG');

  return {
    fine: true,
    context: checkedContext,
    report: {
      agente,
      tipo,
      evidence: checkEvidence(list, checkedContext.knownEvents),
      discardedFields: said.discardedFields,
    },
  };
};
