/** The topic's records as a tool shows them, in the order of each partition. */
import { kafka, type SchemaLookup } from '../../wire/index.ts';
import { contractsFor } from '../stream/contracts.ts';
import type { Judge } from '../stream/judge.ts';
import { type Arrived, arrivedOf } from './arrived.ts';
import { patiently } from './patience.ts';

export type ArrivalNews =
  | kafka.ReadingNews
  /** Something outside does not answer; it is waited for. */
  | { readonly what: 'waits'; readonly code: string }
  /** Retention deleted these before they could be read. */
  | { readonly what: 'gap'; readonly partition: number; readonly from: kafka.Offset; readonly to: kafka.Offset }
  /** The partition begins anew: another topic under the same name. */
  | { readonly what: 'anew'; readonly partition: number };

export interface ArrivalParts {
  readonly reading: Omit<kafka.TopicReading, 'onNews'>;
  readonly lookup: SchemaLookup;
  /** The sink's own, so that what is shown is what will be stored. */
  readonly judge: Judge;
  /** The catalogue, when there is one: of other agents nothing is shown. */
  readonly agents: ReadonlySet<string> | undefined;
  readonly onNews: (news: ArrivalNews) => void;
}

/** Throws a StreamError when the broker or the registry cannot be reached; a reading that follows waits once it has begun. */
export async function* readArrivals(parts: ArrivalParts): AsyncGenerator<Arrived, void, undefined> {
  const { reading, lookup, judge, agents, onNews } = parts;
  const { topic, signal } = reading;
  let hasBegun = false;
  for await (const part of kafka.readTopic({ ...reading, onNews })) {
    const { partition, expected, askedFor, records } = part;
    if (askedFor < expected) onNews({ what: 'anew', partition });
    if (askedFor > expected) onNews({ what: 'gap', partition, from: expected, to: askedFor });
    let hasWaited = false;
    const contracts = await patiently(() => contractsFor(lookup, records), {
      signal,
      isEndless: reading.until === undefined && hasBegun,
      onWait: (code) => {
        hasWaited = true;
        onNews({ what: 'waits', code });
      },
    });
    if (contracts === undefined) return;
    hasBegun = true;
    if (hasWaited) onNews({ what: 'resumed' });
    for (const record of records) yield arrivedOf({ topic, partition }, record, contracts, judge, agents);
  }
}
