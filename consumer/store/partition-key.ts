import type { Consumer } from '../../wire/index.ts';

/** One partition's place in the database, under one consumer. */
export interface PartitionKey {
  readonly consumer: Consumer;
  readonly topic: string;
  readonly partition: number;
}
