/** Single records of the topic, by their places. */
import { StreamError } from '../errors.ts';
import { openCluster, type PartitionEnds } from './admin.ts';
import { after, type Offset } from './offset.ts';
import type { OwnGroupSettings } from './own-group.ts';
import { readTopic } from './read-topic.ts';
import type { SourceRecord } from './source-record.ts';

export interface Place {
  readonly partition: number;
  readonly offset: Offset;
}

/** `deleted`: below the log's start. `beyond`: the log ends before it. `passed`: a marker, aborted, or compacted away. */
export type PlaceRead = Place &
  (
    | { readonly kind: 'there'; readonly record: SourceRecord }
    | { readonly kind: 'deleted' }
    | { readonly kind: 'beyond' }
    | { readonly kind: 'passed' }
  );

const bounds = (places: readonly Place[]) => {
  const from = new Map<number, Offset>();
  const until = new Map<number, Offset>();
  for (const { partition, offset } of places) {
    const [first, end] = [from.get(partition), until.get(partition)];
    if (first === undefined || offset < first) from.set(partition, offset);
    if (end === undefined || offset >= end) until.set(partition, after(offset));
  }
  return { from, until };
};

const missing = (place: Place, ends: readonly PartitionEnds[]): 'deleted' | 'beyond' | undefined => {
  const there = ends.find(({ partition }) => partition === place.partition);
  if (there === undefined || place.offset >= there.end) return 'beyond';
  return place.offset < there.start ? 'deleted' : undefined;
};

const endsNow = async ({ kafka, topic, log }: OwnGroupSettings): Promise<readonly PartitionEnds[]> => {
  const cluster = await openCluster(kafka, log);
  try {
    return await cluster.ends(topic);
  } finally {
    await cluster.close();
  }
};

/**
 * Each place once, those that are not there first, then in the order of each partition. What lies between two places of
 * a partition is read over.
 */
export async function* readPlaces(
  settings: OwnGroupSettings,
  places: readonly Place[],
  signal: AbortSignal,
): AsyncGenerator<PlaceRead, void, undefined> {
  const ends = await endsNow(settings);
  const due = new Map<string, Place>();
  for (const { partition, offset } of places) {
    const kind = missing({ partition, offset }, ends);
    if (kind === undefined) due.set(`${partition} ${offset}`, { partition, offset });
    else yield { partition, offset, kind };
  }
  for await (const { partition, records } of readTopic({ ...settings, ...bounds([...due.values()]), signal })) {
    for (const record of records) {
      if (due.delete(`${partition} ${record.offset}`)) {
        yield { partition, offset: record.offset, kind: 'there', record };
      }
    }
  }
  if (signal.aborted) return;
  for (const { partition, offset } of due.values()) yield { partition, offset, kind: 'passed' };
}

export const readPlace = async (settings: OwnGroupSettings, place: Place, signal: AbortSignal): Promise<PlaceRead> => {
  for await (const read of readPlaces(settings, [place], signal)) return read;
  throw new StreamError('BROKER_UNREACHABLE', `topic ${settings.topic}`, 'It was stopped before it was read');
};
