/** Random numbers that a seed decides: the same seed and the same call give the same marks again. */

export interface Random {
  /** From 0 up to, not including, `below`. */
  below(below: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly [T, ...(readonly T[])]): T;
  /** Decimal digits, the first of them not 0. */
  digits(count: number): string;
  hex(count: number): string;
}

/** sfc32 (Chris Doty-Humphrey's small fast counting generator), 32 bits at a time. */
const sfc32 = (seed: number, call: number): (() => number) => {
  let [a, b, c, counter] = [seed | 0, call | 0, 0x9e3779b9 | 0, 1];
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return sum >>> 0;
  };
  // The first numbers still show the seed.
  for (let i = 0; i < 12; i += 1) next();
  return next;
};

export const createRandom = (seed: number, call: number): Random => {
  const next = sfc32(seed, call);
  const below = (limit: number): number => Math.floor((next() / 2 ** 32) * limit);
  const hex = (count: number): string => {
    let text = '';
    while (text.length < count) text += next().toString(16).padStart(8, '0');
    return text.slice(0, count);
  };
  const digits = (count: number): string => {
    let text = String(1 + below(9));
    while (text.length < count) text += String(below(1_000)).padStart(3, '0');
    return text.slice(0, count);
  };
  return {
    below,
    chance: (probability) => next() / 2 ** 32 < probability,
    pick: ([first, ...rest]) => [first, ...rest][below(rest.length + 1)] ?? first,
    digits,
    hex,
  };
};

export const randomUuid = (random: Random): string => {
  const hex = random.hex(32);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};
