/** One thing to look at, and what was found. `status` and `doctor` are tables of these. */
import type { ErrorCode } from '../../wire/index.ts';
import type { Asked, Site } from './site.ts';

export const STATES = ['ok', 'warn', 'FAIL', 'skip'] as const;
export type State = (typeof STATES)[number];

/** For scripts: names are an interface, changes are additive. Null: not known. */
export type Facts = Readonly<Record<string, string | number | null>>;

export interface Found {
  readonly state: State;
  /** For people: names, places, counts and codes. */
  readonly says: string;
  /** What to do, a command when there is one. */
  readonly next?: string;
  /** Of a FAIL; decides the exit code. */
  readonly code?: ErrorCode;
  readonly facts?: Facts;
}

export interface Check<Name extends string = string> {
  readonly name: Name;
  /** Not looked at, and said to be skipped, unless these were well, or nearly. */
  readonly needs?: readonly Name[];
  /** The facts that it always has, in their order; null while they are not known. */
  readonly facts?: readonly string[];
  /** To be named when nothing answers. */
  readonly asks: Asked;
  /** A StreamError it rejects with is a FAIL in that error's words. */
  readonly look: (site: Site) => Found | Promise<Found>;
}

export interface Finding extends Found {
  readonly name: string;
}

export const ok = (says: string, facts: Facts = {}): Found => ({ state: 'ok', says, facts });
export const warn = (says: string, next: string, facts: Facts = {}): Found => ({ state: 'warn', says, next, facts });
export const skip = (says: string, facts: Facts = {}): Found => ({ state: 'skip', says, facts });
export const fail = (code: ErrorCode, says: string, next: string, facts: Facts = {}): Found => ({
  state: 'FAIL',
  code,
  says,
  next,
  facts,
});
