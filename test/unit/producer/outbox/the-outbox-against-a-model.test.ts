/** Any sequence of what happens to an outbox, against one that is kept in plain lists. */
import { existsSync } from 'node:fs';
import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { discardAside, retryAside } from '../../../../producer/outbox/maintain.ts';
import { NOON_MS, uuidNo } from '../../../support/builders.ts';
import { type Box, countsOf, newFolder, openBox, rememberedIn, submissionNo } from '../../../support/faults-outbox.ts';

const DAY_MS = 24 * 3_600_000;
const MEMORY = { forMs: 7 * DAY_MS, maxIds: 3 };
const MAX_ROWS = 4;
const TIPOS = ['laco', 'cancelamento_pelo_usuario'] as const;

interface ModelRow {
  readonly n: number;
  isAside: boolean;
}

interface Model {
  nowMs: number;
  /** When the memory was last looked through; it is once a second. */
  lookedAtMs: number;
  rows: ModelRow[];
  remembered: { readonly n: number; readonly variant: number; readonly atMs: number }[];
  readonly totals: { accepted: number; relayed: number; discarded: number; same: number; other: number; full: number };
}

type Step =
  | { readonly do: 'append'; readonly group: readonly { readonly n: number; readonly variant: number }[] }
  | { readonly do: 'drop'; readonly count: number }
  | { readonly do: 'aside' | 'retry' | 'discard' | 'reopen' }
  | { readonly do: 'clock'; readonly byMs: number };

/** Few ids, so that they meet again. */
const anAppend = fc.record({
  do: fc.constant('append' as const),
  group: fc.array(fc.record({ n: fc.integer({ min: 1, max: 9 }), variant: fc.integer({ min: 0, max: 1 }) }), {
    maxLength: 4,
  }),
});
const aStep: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: anAppend, weight: 5 },
  { arbitrary: fc.record({ do: fc.constant('drop' as const), count: fc.integer({ min: 1, max: 3 }) }), weight: 3 },
  {
    arbitrary: fc.record({
      do: fc.constantFrom('aside' as const, 'retry' as const, 'discard' as const, 'reopen' as const),
    }),
    weight: 3,
  },
  {
    arbitrary: fc.record({
      do: fc.constant('clock' as const),
      byMs: fc.constantFrom(1, 1_000, DAY_MS, 3 * DAY_MS, 8 * DAY_MS, -DAY_MS, -30 * DAY_MS),
    }),
    weight: 2,
  },
);

const submission = (n: number, variant: number) =>
  submissionNo(n, { tipo: TIPOS[variant === 0 ? 0 : 1] }, 10 * n + variant);

/** Takes the group in and answers what each report must be told. */
const appendTo = (model: Model, group: readonly { readonly n: number; readonly variant: number }[]): unknown[] => {
  const answers = group.map(({ n, variant }) => {
    const known = model.remembered.find((one) => one.n === n);
    if (known !== undefined) {
      if (known.variant === variant) model.totals.same += 1;
      else model.totals.other += 1;
      return { kept: true, counts: countsOf(10 * n + known.variant) };
    }
    if (model.rows.length >= MAX_ROWS) {
      model.totals.full += 1;
      return { kept: false, code: 'OUTBOX_FULL' };
    }
    model.rows.push({ n, isAside: false });
    model.remembered.push({ n, variant, atMs: model.nowMs });
    model.totals.accepted += 1;
    return { kept: true, counts: countsOf(10 * n + variant) };
  });
  const waits = (n: number): boolean => model.rows.some((row) => row.n === n);
  if (Math.abs(model.nowMs - model.lookedAtMs) >= 1_000) {
    model.lookedAtMs = model.nowMs;
    model.remembered = model.remembered.filter(({ n, atMs }) => waits(n) || atMs >= model.nowMs - MEMORY.forMs);
  }
  for (let over = model.remembered.length - MEMORY.maxIds; over > 0; over -= 1) {
    const first = model.remembered.find(({ n }) => !waits(n));
    if (first === undefined) break;
    model.remembered = model.remembered.filter((one) => one !== first);
  }
  return answers;
};

const isWaiting = (row: ModelRow): boolean => !row.isAside;

const run = (steps: readonly Step[], file: string): void => {
  const model: Model = {
    nowMs: NOON_MS,
    lookedAtMs: Number.NEGATIVE_INFINITY,
    rows: [],
    remembered: [],
    totals: { accepted: 0, relayed: 0, discarded: 0, same: 0, other: 0, full: 0 },
  };
  const open = (): Box => openBox(file, { limits: { maxRows: MAX_ROWS }, nowMs: () => model.nowMs, memory: MEMORY });
  let box = open();
  const take = (step: Step): void => {
    switch (step.do) {
      case 'append':
        expect(box.append(step.group.map(({ n, variant }) => submission(n, variant)))).toEqual(
          appendTo(model, step.group),
        );
        return;
      case 'drop': {
        const dropped = model.rows.filter(isWaiting).slice(0, step.count);
        box.rows.drop(box.rows.oldest(step.count, 0).map(({ seq }) => seq));
        model.rows = model.rows.filter((row) => !dropped.includes(row));
        model.totals.relayed += dropped.length;
        return;
      }
      case 'aside': {
        const oldest = model.rows.find(isWaiting);
        if (oldest === undefined) return;
        oldest.isAside = true;
        box.rows.setAside(box.rows.oldest(1, 0)[0]?.seq ?? 0, 'MESSAGE_TOO_LARGE');
        return;
      }
      case 'retry':
        expect(retryAside(file, 'all')).toBe(model.rows.filter(({ isAside }) => isAside).length);
        for (const row of model.rows) row.isAside = false;
        return;
      case 'discard': {
        const gone = model.rows.filter(({ isAside }) => isAside).length;
        expect(discardAside(file, 'all')).toBe(gone);
        model.rows = model.rows.filter(isWaiting);
        model.totals.discarded += gone;
        return;
      }
      case 'reopen':
        box.outbox.close();
        box = open();
        model.lookedAtMs = Number.NEGATIVE_INFINITY;
        return;
      case 'clock':
        model.nowMs += step.byMs;
        return;
      default:
        step satisfies never;
    }
  };
  try {
    for (const step of steps) {
      take(step);
      expect(box.ids()).toEqual(model.rows.map(({ n }) => uuidNo(n)));
      expect(rememberedIn(box)).toEqual(model.remembered.map(({ n }) => uuidNo(n)));
      const { accepted, relayed, discarded, same, other, full } = model.totals;
      expect(box.status()).toMatchObject({
        accepted,
        relayed,
        discarded,
        repeatedSame: same,
        repeatedOther: other,
        waiting: model.rows.filter(isWaiting).length,
        setAside: model.rows.filter(({ isAside }) => isAside).length,
        refused: full === 0 ? {} : { OUTBOX_FULL: full },
      });
      expect(accepted).toBe(relayed + discarded + model.rows.length);
    }
    if (model.rows.length === 0) expect(box.status().bytes).toBe(0);
  } finally {
    box.outbox.close();
  }
};

/** In memory where the system has such a place: the model asks for many transactions, and not for the disk. */
const folder = newFolder(existsSync('/dev/shm') ? '/dev/shm' : undefined);
afterAll(() => folder.remove());

test('whatever happens to it, the outbox answers, keeps, forgets and counts as the plain lists do', () => {
  let runs = 0;
  fc.assert(
    fc.property(fc.array(aStep, { minLength: 1, maxLength: 25 }), (steps) => {
      runs += 1;
      run(steps, `${folder.file}-${runs}`);
    }),
    { numRuns: 300 },
  );
});
