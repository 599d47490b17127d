/** Colour helps the eye and carries no meaning alone: what is painted says the same without it. */
import picocolors from 'picocolors';
import type { Io } from '../io.ts';

export type Brush = (text: string) => string;

export interface Paint {
  readonly bold: Brush;
  readonly dim: Brush;
  readonly red: Brush;
  readonly green: Brush;
  readonly yellow: Brush;
}

export const COLOR_WORDS = ['auto', 'always', 'never'] as const;
export type ColorWord = (typeof COLOR_WORDS)[number];

/** A terminal gets colour, unless NO_COLOR is set or it is a dumb one; a pipe does not. The flag stands over both. */
const isColoured = (word: ColorWord, { stdout, env }: Io): boolean => {
  if (word !== 'auto') return word === 'always';
  return stdout.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
};

export const paintFor = (word: ColorWord, io: Io): Paint => picocolors.createColors(isColoured(word, io));
