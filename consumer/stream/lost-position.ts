/**
 * Whether the log still holds the position. When it does not, events may be lost: the consumer halts with the gap it
 * measured, and an operator decides with `deviations position adopt` (design section 5).
 */
import { isStreamError, type kafka, StreamError } from '../../wire/index.ts';
import type { Claim, PartitionKey, Window, Witness } from '../store/store.ts';
import { witnessOf } from './witness.ts';

export const isHalt = (error: unknown): error is StreamError => isStreamError(error) && error.code === 'HALTED';

/** As the command that decides spells them. */
type Why = 'recreated' | 'retention' | 'database-lost';

const decide = ({ consumer, partition }: PartitionKey, why: Why): string =>
  'Find out which records are gone, then decide: ' +
  `deviations position adopt --consumer ${consumer} --partition ${partition} --why ${why}`;

const halted = (key: PartitionKey, why: Why, what: string): StreamError =>
  new StreamError('HALTED', `${key.topic} partition ${key.partition} ${what}`, decide(key, why));

/** Where to read on. Throws HALTED, or TOPIC_MISSING, which passes. `committed`: the group's own offset, if it has one. */
export const startOf = (
  key: PartitionKey,
  claim: Pick<Claim, 'position'>,
  ends: kafka.PartitionEnds | undefined,
  committed: kafka.Offset | undefined,
): kafka.Offset => {
  if (ends === undefined) {
    throw new StreamError(
      'TOPIC_MISSING',
      `${key.topic} partition ${key.partition}`,
      'Create it: deviations topic create',
    );
  }
  const { position } = claim;
  if (position === undefined) {
    // Also when retention took them since: what was stored of them is not in this database. At 0 nothing was read.
    if (committed !== undefined && committed > 0n) {
      throw halted(
        key,
        'database-lost',
        `was read up to offset ${committed} by this group, but the database has no position`,
      );
    }
    return ends.start;
  }
  if (position > ends.end) {
    throw halted(
      key,
      'recreated',
      `ends at offset ${ends.end}, before the stored position ${position}: recreated or truncated`,
    );
  }
  if (position < ends.start) {
    throw halted(
      key,
      'retention',
      `starts at offset ${ends.start}, behind the stored position ${position}: deleted before it was read`,
    );
  }
  return position;
};

/** The halt that waits for a consumer there, when one does. */
export const lostPosition = (
  key: PartitionKey,
  position: kafka.Offset | undefined,
  ends: kafka.PartitionEnds,
  committed: kafka.Offset | undefined,
): StreamError | undefined => {
  try {
    startOf(key, { position }, ends, committed);
    return undefined;
  } catch (error) {
    if (isHalt(error)) return error;
    throw error;
  }
};

/** The witness is still in the log, so it can be asked for; otherwise the log cannot be recognised by it. */
export const usableWitness = (
  witness: Witness | undefined,
  position: kafka.Offset,
  ends: kafka.PartitionEnds,
): Witness | undefined =>
  witness !== undefined && witness.offset >= ends.start && witness.offset < position ? witness : undefined;

/** A record at the witness's offset that is another one: the topic was made anew and has grown past the position. */
export const checkWitness = (key: PartitionKey, witness: Witness, records: readonly kafka.SourceRecord[]): void => {
  const there = records.find(({ offset }) => offset === witness.offset);
  // Compacted away, or behind a marker: nothing speaks against this log.
  if (there === undefined || witnessOf(there).hash === witness.hash) return;
  throw halted(
    key,
    'recreated',
    `has another record at offset ${witness.offset} than the one that was read there: recreated`,
  );
};

/** So many wrong records, and more than half, are no accident of single writers (design section 5). */
const POISONED = { least: 2_000, share: 0.5 } as const;

export const isPoisoned = ({ consumed, quarantined }: Window): boolean =>
  quarantined >= POISONED.least && quarantined > consumed * POISONED.share;

export const poisoned = (key: PartitionKey, { consumed, quarantined }: Window): StreamError =>
  new StreamError(
    'HALTED',
    `${key.topic} partition ${key.partition}: ${quarantined} of ${consumed} records within ten minutes were quarantined`,
    `See the reasons in the table quarantine; then go on all the same: deviations ${key.consumer} --accept-quarantine`,
  );
