/**
 * A listing of any length, a part at a time: it fits the memory, and whoever asked can be stopped between two parts. Each
 * part is a question of its own that begins behind the last row of the one before, so that a slow reader holds nothing
 * open at the database. Rows are never changed or removed: none comes twice, and none that was there is missed.
 */
import type { DeviationFilter } from '../store/deviation-filter.ts';
import type { StoredDeviation, StoreReader } from '../store/store.ts';

/** So many rows that a filter whose matches must be sorted each time is not asked too often. */
const PART_ROWS = 5_000;

/** The newest first, at most `limit` of them; a part is never empty. */
export async function* deviationsInParts(
  reader: Pick<StoreReader, 'deviations'>,
  filter: DeviationFilter,
  limit = Infinity,
  partRows = PART_ROWS,
): AsyncGenerator<readonly StoredDeviation[], void, undefined> {
  let left = limit;
  let behind: StoredDeviation | undefined;
  while (left > 0) {
    const wanted = Math.min(left, partRows);
    const part = await reader.deviations(filter, wanted, behind);
    if (part.length > 0) yield part;
    if (part.length < wanted) return;
    left -= part.length;
    behind = part.at(-1);
  }
}
