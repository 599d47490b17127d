/** Colour helps the eye and carries no meaning alone: what is painted says the same without it. */
import picocolors from 'picocolors';
import type { Io } from '../io.ts';

export type Brush = (text: string) => string;

const BRUSHES = ['bold', 'dim', 'red', 'green', 'yellow'] as const;
export type BrushName = (typeof BRUSHES)[number] | 'none';
export type Paint = Readonly<Record<BrushName, Brush>>;

export const COLOR_WORDS = ['auto', 'always', 'never'] as const;
export type ColorWord = (typeof COLOR_WORDS)[number];

/** A terminal gets colour, unless NO_COLOR is set or it is a dumb one; a pipe does not. The flag stands over both. */
const isColoured = (word: ColorWord, { stdout, env }: Io): boolean => {
  if (word !== 'auto') return word === 'always';
  return stdout.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
};

/** Nothing painted stays nothing: an escape around no text would only be noise. */
export const paintFor = (word: ColorWord, io: Io): Paint => {
  const colors = picocolors.createColors(isColoured(word, io));
  const brush =
    (name: (typeof BRUSHES)[number]): Brush =>
    (text) =>
      text === '' ? '' : colors[name](text);
  return {
    none: (text) => text,
    bold: brush('bold'),
    dim: brush('dim'),
    red: brush('red'),
    green: brush('green'),
    yellow: brush('yellow'),
  };
};
