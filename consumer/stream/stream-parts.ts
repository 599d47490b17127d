/** What a stream is put together from; a test may put in parts of its own. */
import type { Consumer, kafka, Log, SchemaLookup } from '../../wire/index.ts';
import type { Store } from '../store/store.ts';
import type { Judge } from './judge.ts';
import type { Progress } from './progress.ts';

export interface StreamParts {
  readonly consumer: Consumer;
  readonly topic: string;
  /** A fresh source for every time the group is joined: a crashed one is not started again. */
  readonly createSource: () => kafka.Source;
  /** First and last offsets of the topic's partitions. */
  readonly ends: () => Promise<readonly kafka.PartitionEnds[]>;
  /** The group's own offset of a partition, if it has one. */
  readonly committed: (partition: number) => Promise<kafka.Offset | undefined>;
  readonly store: Store;
  readonly lookup: SchemaLookup;
  readonly judge: Judge;
  readonly progress: Progress;
  /** Goes on though most records of late were wrong: an operator's decision. */
  readonly acceptQuarantine: boolean;
  /** How long leaving the group may take, in milliseconds; 10,000 unless given. */
  readonly stopLimitMs?: number;
  /** How often the watchdog looks, in milliseconds; 5,000 unless given. */
  readonly watchMs?: number;
  readonly log: Log;
}
