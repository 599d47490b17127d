/** Texts by the columns they take on a terminal: a wide character takes two, a combining one and an escape none. */
import stringWidth from 'string-width';

// oxlint-disable-next-line no-control-regex -- what a setting or a file name may carry must not steer a terminal
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Most texts are ids and words. */
const isPlain = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

export const widthOf = (text: string): number => (isPlain(text) ? text.length : stringWidth(text));

/** The text in parts of at most `width` columns. */
export const wrapped = (text: string, width: number): readonly string[] => {
  const parts: string[] = [];
  let [part, room] = ['', width];
  for (const { segment } of graphemes.segment(text)) {
    const needs = widthOf(segment);
    if (needs > room && part !== '') {
      parts.push(part);
      [part, room] = ['', width];
    }
    part += segment;
    room -= needs;
  }
  return [...parts, part];
};

/** One line, and nothing that steers a terminal. */
export const shownText = (text: string): string => text.replaceAll(CONTROL, '\ufffd');

export const cut = (text: string, width: number, ellipsis: string): string =>
  widthOf(text) <= width ? text : `${wrapped(text, width - widthOf(ellipsis))[0] ?? ''}${ellipsis}`;

export const padded = (text: string, width: number, isNumber: boolean): string => {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)));
  return isNumber ? `${space}${text}` : `${text}${space}`;
};

/** The text in lines of at most `width` columns, broken between words; a word that is wider is broken within. */
export const wrappedWords = (text: string, width: number): readonly string[] => {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((one) => wrapped(one, width))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (widthOf(longer) <= width) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
};
