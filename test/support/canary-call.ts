/** One call of the fuzz: a report or a line, full of one fresh mark, and the proof that the mark is in it. */
import { CORE_DIGITS, type Form, formsOf } from './canary.ts';
import { DISCARDED_ALIVE, REFUSED_ALIVE } from './canary-alive.ts';
import { type Deed, type Draft, draftReport, finished, type Part } from './canary-draft.ts';
import { messageLine, reportLine, unreadableLine, wrongMessage } from './canary-lines.ts';
import { DISCARDED } from './canary-places.ts';
import { REFUSED } from './canary-refused-places.ts';
import { createPlanter, type Plant, type Planter } from './canary-plants.ts';
import { createRandom, type Random } from './canary-random.ts';
import { reachableText } from './canary-reach.ts';

export interface CanaryCall {
  readonly number: number;
  /** The mark: twelve digits that stand in every place of `planted` and nowhere else. */
  readonly core: string;
  readonly forms: readonly Form[];
  readonly random: Random;
  readonly planted: readonly Plant[];
}

export interface ReportCall extends CanaryCall {
  readonly report: unknown;
}

export interface LineCall extends CanaryCall {
  /** Without its line end. */
  readonly line: Buffer;
}

export interface CallWish {
  readonly seed: number;
  readonly number: number;
  /** From 0 to 1: how often a rule is broken. */
  readonly refused: number;
  /** Every so many calls one may hold a string of ten megabytes. */
  readonly hugeEvery: number;
}

const isHuge = ({ number, hugeEvery }: CallWish): boolean => number % hugeEvery === hugeEvery - 1;

const drafted = (
  wish: CallWish,
  discarded: readonly Deed[],
  refused: readonly Deed[],
): { draft: Draft; core: string } => {
  const random = createRandom(wish.seed, wish.number);
  const core = random.digits(CORE_DIGITS);
  const draft = draftReport(core, random);
  const taken = new Set<Part>();
  if (!isHuge(wish)) taken.add('huge');

  const does = (deed: Deed): void => deed.plant(draft);
  const fits = (deed: Deed): boolean => deed.needs.every((part) => !taken.has(part));
  const pickOf = (deeds: readonly Deed[]): Deed | undefined => deeds[random.below(deeds.length)];

  if (random.chance(wish.refused)) {
    const fitting = refused.filter(fits);
    const huge = fitting.filter(({ needs }) => needs.includes('huge'));
    const deed = pickOf(huge.length > 0 ? huge : fitting);
    if (deed !== undefined) {
      does(deed);
      for (const part of deed.needs) taken.add(part);
    }
  }
  const callId = discarded[0]; // the tool-call id is a mark whenever it can be
  if (callId !== undefined && fits(callId)) does(callId);
  const left = new Set(discarded.slice(1).filter(fits));
  if (isHuge(wish)) for (const deed of left) if (deed.needs.includes('huge')) does(deed);
  for (let wanted = 2 + random.below(4); wanted > 0 && left.size > 0; wanted -= 1) {
    const deed = pickOf([...left]);
    if (deed === undefined) break;
    left.delete(deed);
    if (!deed.needs.includes('huge')) does(deed);
  }
  return { draft, core };
};

export const aReportCall = (wish: CallWish): ReportCall => {
  const { draft, core } = drafted(wish, [...DISCARDED, ...DISCARDED_ALIVE], [...REFUSED, ...REFUSED_ALIVE]);
  const { plant, random } = draft;
  return { number: wish.number, core, forms: formsOf(core), random, planted: plant.planted, report: finished(draft) };
};

/** One line in ten that breaks a rule is no report at all. */
const UNREADABLE = 0.1;

const lineCall = (
  wish: CallWish,
  wrong: (plant: Planter, random: Random, isHuge: boolean) => Buffer,
  right: (report: unknown, plant: Planter, random: Random) => Buffer,
): LineCall => {
  const { draft, core } = drafted(wish, DISCARDED, REFUSED);
  const { random } = draft;
  const call = { number: wish.number, core, forms: formsOf(core), random };
  if (random.chance(wish.refused * UNREADABLE)) {
    const plant = createPlanter(core, random);
    const line = wrong(plant, random, isHuge(wish));
    return { ...call, planted: plant.planted, line };
  }
  const line = right(finished(draft), draft.plant, random);
  return { ...call, planted: draft.plant.planted, line };
};

/** A line of `deviations report`. */
export const aLineCall = (wish: CallWish): LineCall => lineCall(wish, unreadableLine, reportLine);

/** A message to the MCP server. */
export const aMessageCall = (wish: CallWish): LineCall =>
  lineCall(wish, wrongMessage, (report) => messageLine(report, wish.number));

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The planted texts that are not in what the call hands over: none, or the fuzz proves nothing. */
export const notPlanted = async (call: ReportCall | LineCall): Promise<readonly Plant[]> => {
  if ('report' in call) {
    const text = await reachableText(call.report);
    return call.planted.filter((plant) => !text.includes(plant.text));
  }
  const raw = call.line.toString('utf8');
  const text = [raw, call.line.toString('utf16le'), await reachableText(parsed(raw))].join('\n');
  return call.planted.filter((plant) => !text.includes(plant.text));
};
