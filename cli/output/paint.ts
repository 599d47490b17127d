/** Colour for headings alone: it carries no meaning, so that nothing is lost without it. */
import picocolors from 'picocolors';
import type { Io } from '../io.ts';

export type Paint = (text: string) => string;

/** A terminal gets it, unless NO_COLOR is set or it is a dumb one; a pipe never does. */
export const headingPaint = (io: Io): Paint => {
  const isColoured = io.stdout.isTTY === true && !io.env.NO_COLOR && io.env.TERM !== 'dumb';
  return picocolors.createColors(isColoured).bold;
};
