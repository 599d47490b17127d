/** Figures beside a floor or a peer of the same run: the machine is shared and noisy, so only ratios mean anything. */
export const percentile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
};

export interface Figure {
  readonly what: string;
  readonly ours: string;
  /** The floor or the peer, measured beside it. */
  readonly beside: string;
  readonly target: string;
  /** Undefined: no target is set for it. */
  readonly isMet: boolean | undefined;
}

export const ms = (value: number): string => `${value.toFixed(value < 10 ? 3 : 1)} ms`;
export const perSecond = (value: number): string => `${Math.round(value).toLocaleString('en')}/s`;
export const megabytes = (bytes: number): string => `${Math.round(bytes / 1_048_576)} MB`;

const VERDICTS = { true: 'met', false: 'MISSED', undefined: '' } as const;

export const renderFigures = (figures: readonly Figure[]): string => {
  const rows = [
    ['figure', 'ours', 'beside it', 'target', ''],
    ...figures.map(({ what, ours, beside, target, isMet }) => [what, ours, beside, target, VERDICTS[`${isMet}`]]),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};
