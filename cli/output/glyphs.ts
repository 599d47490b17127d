/** Every sign beyond ASCII that the program draws with, and its twin for `--ascii`. */
export interface Glyphs {
  readonly ellipsis: string;
  readonly bar: string;
  readonly ok: string;
  readonly warn: string;
  readonly fail: string;
  readonly skip: string;
  readonly up: string;
  readonly down: string;
  readonly same: string;
  /** Before what to do about it. */
  readonly next: string;
  /** From nothing to the most, for a sparkline. */
  readonly levels: readonly string[];
}

export const UNICODE: Glyphs = {
  ellipsis: '…',
  bar: '█',
  ok: '✓',
  warn: '!',
  fail: '✗',
  skip: '-',
  up: '↑',
  down: '↓',
  same: '=',
  next: '→',
  levels: ['·', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'],
};

export const ASCII: Glyphs = {
  ellipsis: '~',
  bar: '#',
  ok: '+',
  warn: '!',
  fail: 'x',
  skip: '-',
  up: '^',
  down: 'v',
  same: '=',
  next: '->',
  levels: ['.', ':', '-', '=', '+', '*', '#', '%', '@'],
};
