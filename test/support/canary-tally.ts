/** What a run of the fuzz saw: how many of what, where marks stood, and where one came out that must not have. */
import { createMarkSearch, findMark, type Haystack } from './canary.ts';
import type { CanaryCall } from './canary-call.ts';
import type { Plant } from './canary-plants.ts';

export interface Hit {
  readonly call: number;
  readonly surface: string;
  readonly form: string;
  /** Around the mark; the data is made up. */
  readonly seen: string;
}

/** Enough to see what is wrong. */
const MAX_HITS = 100;

export class Tally {
  calls = 0;
  recorded = 0;
  planted = 0;
  /** By code. */
  readonly refused = new Map<string, number>();
  /** By place, how many marks stood there. */
  readonly places = new Map<string, number>();
  /** What became of records at the consumers: an outcome, or the reason of a quarantine. */
  readonly judged = new Map<string, number>();
  /** Every refusal's whole text, as it left. */
  readonly answers = new Set<string>();
  /** Thrown where an error is due, by code. */
  readonly errors = new Map<string, number>();
  /** By surface, how many characters were searched. */
  readonly searched = new Map<string, number>();
  readonly hits: Hit[] = [];
  /** Marks that were not where they should have been planted; the run proves nothing if there is one. */
  readonly missing: (Plant & { readonly call: number })[] = [];

  count(counts: Map<string, number>, name: string, by = 1): void {
    counts.set(name, (counts.get(name) ?? 0) + by);
  }

  plantedIn(call: CanaryCall, missing: readonly Plant[]): void {
    this.calls += 1;
    this.planted += call.planted.length;
    for (const { place } of call.planted) this.count(this.places, place);
    for (const plant of missing) this.missing.push({ ...plant, call: call.number });
    if (call.planted.length === 0) this.missing.push({ call: call.number, place: 'anywhere', text: call.core });
  }

  answered(answer: { readonly recorded: boolean; readonly code?: unknown }): void {
    if (answer.recorded) this.recorded += 1;
    else {
      this.count(this.refused, String(answer.code));
      this.answers.add(JSON.stringify(answer));
    }
  }

  hit(call: number, surface: string, form: string, text: string, at: number): void {
    if (this.hits.length >= MAX_HITS) return;
    this.hits.push({ call, surface, form, seen: text.slice(Math.max(0, at - 40), at + 80) });
  }

  /** One call's mark in what that call made. */
  search(call: CanaryCall, surface: string, haystack: Haystack): void {
    this.count(this.searched, surface, haystack.length);
    const form = findMark(call.forms, haystack);
    if (form === undefined) return;
    const text = typeof haystack === 'string' ? haystack : Buffer.from(haystack).toString('latin1');
    const bytes = call.forms.find(({ name }) => name === form)?.bytes ?? '';
    this.hit(call.number, surface, form, text, text.indexOf(bytes));
  }

  /** Many calls' marks in what they made together. */
  searchAll(calls: readonly CanaryCall[], surface: string, haystack: Haystack): void {
    this.count(this.searched, surface, haystack.length);
    if (haystack.length === 0 || calls.length === 0) return;
    const text = typeof haystack === 'string' ? haystack : Buffer.from(haystack).toString('latin1');
    const numbers = new Map(calls.map(({ core, number }) => [core, number]));
    for (const { core, form, at } of createMarkSearch(numbers.keys())(text)) {
      this.hit(numbers.get(core) ?? -1, surface, form, text, at);
    }
  }
}
