/** The parts of a counting statement that both databases have in common: keys are `key_0`, `key_1`, … */
import type { Dimension } from './counting.ts';

const keyNames = (by: readonly Dimension[]): readonly string[] => by.map((_, at) => `key_${at}`);

/** Each with its expression, and a comma behind it. */
export const selected = (expressions: Readonly<Record<Dimension, string>>, by: readonly Dimension[]): string =>
  by.map((one, at) => `${expressions[one]} as key_${at}, `).join('');

/** Nothing to group by: one row. */
export const grouped = (by: readonly Dimension[], ...further: readonly string[]): string => {
  const names = [...keyNames(by), ...further];
  return names.length === 0 ? '' : `group by ${names.join(', ')}`;
};
