/** A terminal as SVG: text with the colours that the program writes, a line each. Pure: it is handed what was shown. */

/** What docs/terminal.svg shows, of the table that `npm run demo` fills. The times are fixed, so that it is the same each time. */
export const PICTURED: readonly (readonly string[])[] = [
  ['query', '--tipo', 'laco', '--until', '2026-11-30T00:00:00Z', '-n', '5'],
  ['stats', '--since', '2026-11-01T00:00:00Z', '--until', '2026-11-30T00:00:00Z'],
];

/** For a picture a command writes as for a terminal, though it writes into a pipe. */
export const AS_ON_A_TERMINAL: readonly string[] = ['-o', 'table', '--color', 'always'];

export interface PicturedRun {
  readonly args: readonly string[];
  readonly shown: string;
}

const FONT = { size: 14, width: 8.43, line: 19 } as const;
const PADDING = 18;
const BAR_HEIGHT = 30;
const COLORS = { ground: '#1e222a', text: '#d7dae0', red: '#ff7b85', green: '#98c379', yellow: '#e5c07b' } as const;

interface Style {
  readonly bold: boolean;
  readonly dim: boolean;
  readonly color: string;
}

const PLAIN: Style = { bold: false, dim: false, color: COLORS.text };

/** The codes that the program's brushes write, and no others. */
const styled = (style: Style, code: string): Style => {
  switch (code) {
    case '0':
      return PLAIN;
    case '1':
      return { ...style, bold: true };
    case '2':
      return { ...style, dim: true };
    case '22':
      return { ...style, bold: false, dim: false };
    case '31':
      return { ...style, color: COLORS.red };
    case '32':
      return { ...style, color: COLORS.green };
    case '33':
      return { ...style, color: COLORS.yellow };
    case '39':
      return { ...style, color: COLORS.text };
    default:
      throw new TypeError('a picture knows the colours of cli/output/paint.ts alone');
  }
};

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Each part stands at its column, however wide the reader's font is. */
const part = (text: string, column: number, { bold, dim, color }: Style): string => {
  const weight = bold ? ' font-weight="bold"' : '';
  const opacity = dim ? ' opacity="0.6"' : '';
  const at = `x="${(PADDING + column * FONT.width).toFixed(2)}" textLength="${(text.length * FONT.width).toFixed(2)}"`;
  return `<tspan ${at} fill="${color}"${weight}${opacity}>${escaped(text)}</tspan>`;
};

// oxlint-disable-next-line no-control-regex -- the escapes are what is drawn
const ESCAPE = /\u001b\[(\d+)m/;

const drawLine = (line: string, row: number): string => {
  const parts: string[] = [];
  let [style, column] = [PLAIN, 0];
  line.split(ESCAPE).forEach((piece, index) => {
    if (index % 2 === 1) style = styled(style, piece);
    else {
      // Blanks are not drawn: they would be stretched.
      for (const { 0: word, index: at } of piece.matchAll(/\S+(?: \S+)*/g)) parts.push(part(word, column + at, style));
      column += piece.length;
    }
  });
  const y = BAR_HEIGHT + PADDING + row * FONT.line;
  return parts.length === 0 ? '' : `<text y="${y}" xml:space="preserve">${parts.join('')}</text>`;
};

const DOTS = ['#ff5f56', '#ffbd2e', '#27c93f'].map(
  (color, index) => `<circle cx="${PADDING + 4 + index * 18}" cy="${BAR_HEIGHT / 2 + 2}" r="5.5" fill="${color}"/>`,
);

const widthOf = (line: string): number =>
  line
    .split(ESCAPE)
    .filter((_, index) => index % 2 === 0)
    .join('').length;

export const terminalPicture = (runs: readonly PicturedRun[]): string => {
  const lines = runs.flatMap(({ args, shown }, index) => [
    ...(index === 0 ? [] : ['']),
    `\u001b[32m$\u001b[39m \u001b[1mdeviations ${args.join(' ')}\u001b[22m`,
    ...shown.replace(/\n$/, '').split('\n'),
  ]);
  const width = Math.ceil(2 * PADDING + Math.max(...lines.map(widthOf)) * FONT.width);
  const height = BAR_HEIGHT + PADDING + lines.length * FONT.line;
  const label = runs.map(({ args }) => `deviations ${args[0]}`).join(', ');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="A terminal: ${label}">`,
    `<rect width="100%" height="100%" rx="8" fill="${COLORS.ground}"/>`,
    ...DOTS,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${FONT.size}">`,
    ...lines.map(drawLine).filter((line) => line !== ''),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
};
