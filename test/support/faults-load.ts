/** What an engine does all day: reports of a few sessions, some at once, some calls twice. And what it was told. */
import { createHash } from 'node:crypto';
import type { Answer, Report } from '../../producer/index.ts';
import { TIPOS } from '../../schemas/index.ts';
import type { Rng } from './faults-rng.ts';

export interface AcceptedReport {
  readonly eventId: string;
  readonly sessionId: string;
}

export interface Load {
  /** Ids of every session that reports, accepted or not, belong to. */
  readonly sessionIds: readonly string[];
  /** In the order of the calls that were accepted: one that was refused before takes the place of its repetition. */
  readonly accepted: () => readonly AcceptedReport[];
  /** How many were refused, by code. */
  readonly refused: ReadonlyMap<string, number>;
  /** The n-th report of this load; the same number is the same call. */
  readonly reportNo: (n: number) => Report;
  /** Takes an answer down, to the call of this place among all; undefined: whoever was asked has died. */
  readonly heard: (n: number, answer: Answer | undefined, place?: number) => void;
  /** So many reports more, a few at once; a refused one is not repeated. */
  readonly report: (count: number, tell: (report: Report) => Promise<Answer | undefined>) => Promise<void>;
}

/** Of the catalogue of the examples, which the program is given. */
export const AGENTS_OF_LOAD = [
  'airline-assistant',
  'assistant',
  'chief-executive-officer',
  'chief-product-officer',
] as const;

/** `name` makes the sessions of one run differ from those of every other. */
export const createLoad = (name: string, rng: Rng): Load => {
  const uuidOf = (what: string): string => {
    const hex = createHash('sha256').update(`${name} ${what}`).digest('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  };
  const sessionIds = [1, 2, 3, 4].map((n) => uuidOf(`session ${n}`));
  const accepted = new Map<number, AcceptedReport & { readonly place: number }>();
  const refused = new Map<string, number>();
  let next = 1;
  let calls = 0;

  const reportNo = (n: number): Report => ({
    context: {
      sessionId: sessionIds[n % sessionIds.length] ?? '',
      projectId: uuidOf('project'),
      toolCallId: `call_${n}`,
      occurredAt: new Date(Date.UTC(2026, 10, 30, 12, 0, n)).toISOString(),
    },
    input: { agente: AGENTS_OF_LOAD[n % AGENTS_OF_LOAD.length], tipo: TIPOS[n % TIPOS.length], evidenceEventIds: [] },
  });

  const heard = (n: number, answer: Answer | undefined, place: number = n): void => {
    if (answer === undefined) return;
    if (answer.recorded) {
      const first = Math.min(place, accepted.get(n)?.place ?? place);
      accepted.set(n, {
        eventId: answer.eventId,
        sessionId: sessionIds[n % sessionIds.length] ?? '',
        place: first,
      });
    } else refused.set(answer.code, (refused.get(answer.code) ?? 0) + 1);
  };

  return {
    sessionIds,
    accepted: () => [...accepted.values()].toSorted((a, b) => a.place - b.place),
    refused,
    reportNo,
    heard,
    report: async (count, tell) => {
      const end = next + count;
      while (next < end) {
        const size = Math.min(end - next, rng.between(1, 8));
        const group = Array.from({ length: size }, (_, index) => next + index);
        next += size;
        // An engine that is not sure calls again.
        if (rng.chance(0.1)) group.push(rng.between(Math.max(1, next - 20), next - 1));
        await Promise.all(
          group.map(async (n) => {
            calls += 1;
            const place = calls;
            heard(n, await tell(reportNo(n)), place);
          }),
        );
      }
    },
  };
};
