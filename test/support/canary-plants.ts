/** Marks in the dress that a place asks for. Every planted text is kept, so that a control can find it in the input. */
import type { Random } from './canary-random.ts';

export interface Plant {
  readonly place: string;
  /** Unlike any other of the call. */
  readonly text: string;
}

export interface Planter {
  readonly planted: readonly Plant[];
  /** A person's words: quotes, accents, control characters, a terminal's escapes, an address, a document's number. */
  text(place: string): string;
  /** As `text`, with halves of surrogate pairs. */
  brokenText(place: string): string;
  /** Printable ASCII without spaces. */
  word(place: string): string;
  /** Digits and underscores: the same in every text encoding and escape. */
  bare(place: string): string;
  /** A well-formed slug of at most 32 characters that no catalogue has. */
  slug(place: string): string;
  /** A canonical UUID; `start` may make it begin otherwise, and be none. */
  uuid(place: string, start?: string): string;
  digits(place: string): string;
  number(place: string): number;
  /** Ten megabytes, the mark somewhere in them. */
  huge(place: string): string;
}

const HUGE_BYTES = 10_000_000;

const DRESSES: readonly [(core: string) => string, ...((core: string) => string)[]] = [
  (core) => core,
  (core) => `Zoë "${core}" d'Ávila & Filhos`,
  (core) => `maria.${core}@example.org`,
  (core) => `CPF ${core}\n\tRua das Laranjeiras, 7`,
  (core) => `\u001b[31m${core}\u0000\u202e`,
  (core) => `山田${core}太郎 🙂`,
  (core) => `{"tipo":"${core}"}`,
  (core) => `%7B${core}%7D\\u0041`,
  (core) => `laco ${core}`,
];

export const createPlanter = (core: string, random: Random): Planter => {
  const planted: Plant[] = [];
  // Two digits, so that each text of a call is its own and a UUID keeps its length.
  const serial = (): string => {
    if (planted.length >= 90) throw new RangeError('a planter is for one call');
    return String(10 + planted.length);
  };
  const plant = (place: string, text: string): string => {
    planted.push({ place, text });
    return text;
  };
  return {
    planted,
    text: (place) => plant(place, `${random.pick(DRESSES)(core)} ${serial()}`),
    brokenText: (place) => plant(place, `\udc00${core}\ud800 ${serial()}`),
    word: (place) => plant(place, `${random.pick(['call', 'toolu', '{"x":', '<'])}_${core}_${serial()}`),
    bare: (place) => plant(place, `_${core}_${serial()}`),
    slug: (place) => plant(place, `${random.pick(['maria', 'ana-paula', 'x'])}-${core}-${serial()}`),
    uuid: (place, start = '') => {
      const first = `${start}${random.hex(6)}`.slice(0, 6);
      return plant(place, `${first}${serial()}-${random.hex(4)}-4000-8000-${core}`);
    },
    digits: (place) => plant(place, `${core}${serial()}`),
    // The core itself, since a number has binary forms of its own; alone on its line of the reachable text.
    number: (place) => {
      plant(place, `\n${core}\n`);
      return Number(core);
    },
    huge: (place) => {
      const text = plant(place, `${core} ${serial()}`);
      const before = random.below(HUGE_BYTES);
      return `${'x'.repeat(before)}${text}${'y'.repeat(HUGE_BYTES - before)}`;
    },
  };
};
