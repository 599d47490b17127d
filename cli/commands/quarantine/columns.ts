/** How an entry is shown, in every form. Place, reason, size and times; what the record holds is in no entry. */
import type { QuarantineEntry } from '../../../consumer/index.ts';
import { briefTime } from '../../output/brief.ts';
import type { Column } from '../../output/format.ts';

export const placeOf = ({ partition, offset }: QuarantineEntry): string => `${partition}/${offset}`;

export const ENTRY_COLUMNS: readonly Column<QuarantineEntry>[] = [
  { heading: 'place', of: placeOf, isWhole: true },
  { heading: 'reason', of: ({ reason }) => reason, isWhole: true },
  { heading: 'consumer', of: ({ consumer }) => consumer, spared: 3 },
  { heading: 'state', of: ({ state }) => state, spared: 2 },
  { heading: 'attempts', of: ({ attempts }) => String(attempts), isNumber: true, spared: 5 },
  { heading: 'size', of: ({ size }) => String(size), isNumber: true, spared: 4 },
  {
    heading: 'recordTime',
    of: ({ recordTime }) => recordTime,
    brief: ({ recordTime }) => briefTime(recordTime),
    isWhole: true,
    spared: 1,
  },
  {
    heading: 'lastSeenAt',
    of: ({ lastSeenAt }) => lastSeenAt,
    brief: ({ lastSeenAt }) => briefTime(lastSeenAt),
    isWhole: true,
    spared: 6,
  },
];

export const entryJson = (entry: QuarantineEntry): Readonly<Record<string, unknown>> => ({
  consumer: entry.consumer,
  topic: entry.topic,
  partition: entry.partition,
  offset: Number(entry.offset),
  reason: entry.reason,
  schemaId: entry.schemaId,
  size: entry.size,
  recordTime: entry.recordTime,
  firstSeenAt: entry.firstSeenAt,
  lastSeenAt: entry.lastSeenAt,
  attempts: entry.attempts,
  state: entry.state,
  resolvedAt: entry.resolvedAt,
});
