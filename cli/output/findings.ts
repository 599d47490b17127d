/** Findings of a check-up on a screen: a line each, its words wrapped below it, what to do about it last. */
import type { Finding, State } from '../checkup/check.ts';
import type { Brush, Paint } from './paint.ts';
import type { Screen } from './screen.ts';
import { padded, widthOf, wrappedWords } from './text-width.ts';

const GAP = '  ';
const STATE_WIDTH = 4;
/** Under it what is said stands below the name and not beside it. */
const LEAST_SAYS = 40;
const INDENT = ' '.repeat(STATE_WIDTH + GAP.length);

const brushFor = (state: State, paint: Paint): Brush => {
  switch (state) {
    case 'ok':
      return paint.green;
    case 'warn':
      return paint.yellow;
    case 'FAIL':
      return (text) => paint.bold(paint.red(text));
    case 'skip':
      return paint.dim;
    default:
      return state satisfies never;
  }
};

type Part = Pick<Screen, 'width' | 'paint' | 'glyphs'>;

export const renderFindings = (findings: readonly Finding[], { width, paint, glyphs }: Part): readonly string[] => {
  const nameWidth = Math.max(0, ...findings.map(({ name }) => widthOf(name)));
  const beside = INDENT.length + nameWidth + GAP.length;
  const isWide = width - beside >= LEAST_SAYS;
  const indent = isWide ? ' '.repeat(beside) : INDENT;

  return findings.flatMap(({ name, state, says, next }) => {
    const head = `${padded(brushFor(state, paint)(state), STATE_WIDTH, false)}${GAP}`;
    const arrow = `${glyphs.next} `;
    const below = [
      ...wrappedWords(says, width - indent.length).map((line) => `${indent}${line}`),
      ...(next === undefined
        ? []
        : wrappedWords(next, width - indent.length - widthOf(arrow)).map(
            (line, at) => `${indent}${at === 0 ? arrow : ' '.repeat(widthOf(arrow))}${line}`,
          )),
    ];
    if (!isWide) return [`${head}${paint.bold(name)}`, ...below];
    const [first = '', ...rest] = below;
    return [`${head}${padded(paint.bold(name), nameWidth, false)}${GAP}${first.trimStart()}`, ...rest];
  });
};
