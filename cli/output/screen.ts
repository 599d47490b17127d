/** What the data is written on: its width, its signs, its colours. One for the whole run, by the global flags. */
import { type Io, writeLine } from '../io.ts';
import { ASCII, type Glyphs, UNICODE } from './glyphs.ts';
import { type ColorWord, type Paint, paintFor } from './paint.ts';

export interface Screen {
  readonly isTerminal: boolean;
  /** In columns; 40 at least. */
  readonly width: number;
  readonly paint: Paint;
  readonly glyphs: Glyphs;
  /** Resolves once the line is with the reader. */
  print(line: string): Promise<void>;
}

export interface ScreenWish {
  readonly color: ColorWord;
  readonly ascii: boolean;
}

/** Of a table that goes into a pipe. */
const PIPE_WIDTH = 120;
const LEAST_WIDTH = 40;

export const createScreen = (io: Io, wish: ScreenWish): Screen => ({
  isTerminal: io.stdout.isTTY === true,
  width: Math.max(LEAST_WIDTH, io.stdout.columns ?? PIPE_WIDTH),
  paint: paintFor(wish.color, io),
  glyphs: wish.ascii ? ASCII : UNICODE,
  print: (line) => writeLine(io.stdout, line),
});
