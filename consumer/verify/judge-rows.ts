/** Every row against the places that were met: no row without a record, and none twice. */
import type { kafka } from '../../wire/index.ts';
import type { StoredPlace, StoreReader } from '../store/store.ts';
import type { Finding, Problem } from './finding.ts';
import type { PlaceSet } from './place-set.ts';
import type { PartitionScope } from './scope.ts';

const PAGE_ROWS = 5_000;

export interface RowJudging {
  readonly topic: string;
  readonly reader: Pick<StoreReader, 'storedPlaces' | 'quarantinedIn'>;
  readonly places: PlaceSet;
  readonly signal: AbortSignal;
}

export async function* judgeRows(
  { topic, reader, places, signal }: RowJudging,
  scope: ReadonlyMap<number, PartitionScope>,
): AsyncGenerator<Finding, void, undefined> {
  const find = (
    { sums }: PartitionScope,
    problem: Problem,
    { eventId, partition, offset }: StoredPlace,
    detail: string,
  ) => {
    sums[problem] += 1;
    return { problem, partition, offset, eventId, detail };
  };

  /** Stored by a retry while this was looking. */
  const isSettledSince = async ({ partition, offset }: StoredPlace): Promise<boolean> => {
    const next = (offset + 1n) as kafka.Offset; // the place itself, as a range
    const [entry] = await reader.quarantinedIn({ consumer: 'sink', topic, partition }, offset, next);
    return entry?.state === 'resolved';
  };

  for (let after: string | undefined; !signal.aborted; ) {
    const page = await reader.storedPlaces(topic, after, PAGE_ROWS);
    for (const row of page) {
      const of = scope.get(row.partition);
      if (of === undefined) continue;
      if (row.offset < of.sums.from || (of.anewAt !== undefined && row.recordedAt < of.anewAt)) {
        of.sums.rowsBefore += 1;
        continue;
      }
      // Behind what was compared: stored meanwhile.
      if (row.offset >= of.sums.to) continue;
      const counted = places.count(row.partition, row.offset);
      if (counted === 'again') yield find(of, 'doubled', row, 'a second row of one record');
      else if (counted === 'unmet' && !(await isSettledSince(row))) {
        yield find(of, 'wrong', row, 'a row of which the record at its place says nothing');
      }
    }
    after = page.at(-1)?.eventId;
    if (page.length < PAGE_ROWS) return;
  }
}
