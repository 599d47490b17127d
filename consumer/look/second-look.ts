/** A second look at quarantined records by the consumer's own judge; what is right by now is stored and resolved. */
import type { Consumer, QuarantineReason } from '../../wire/index.ts';
import type { Judged } from '../outcome.ts';
import type { QuarantineEntry, SecondLook, Settled } from '../store/quarantine-entry.ts';
import type { Store } from '../store/store.ts';
import type { Judge } from '../stream/judge.ts';
import { type QuarantinedReading, quarantinedRecords, type RecordGone } from './quarantined-records.ts';

export type Judges = Readonly<Record<Consumer, Judge>>;

export type Retried =
  | { readonly entry: QuarantineEntry; readonly kind: Exclude<Settled['kind'], 'wrong'> | RecordGone }
  | { readonly entry: QuarantineEntry; readonly kind: 'wrong'; readonly reason: QuarantineReason };

export const secondLookOf = (judged: Judged): SecondLook =>
  judged.kind === 'quarantined' ? { kind: 'wrong', reason: judged.pointer.reason } : judged;

/** One entry after the other, each in a transaction of its own: a stop or an outage leaves what is done. */
export async function* retryQuarantined(
  reading: QuarantinedReading,
  judges: Judges,
  store: Pick<Store, 'settle'>,
  entries: readonly QuarantineEntry[],
): AsyncGenerator<Retried, void, undefined> {
  for await (const read of quarantinedRecords(reading, entries)) {
    const { entry } = read;
    if (read.kind !== 'there') {
      yield { entry, kind: read.kind };
      continue;
    }
    const look = secondLookOf(judges[entry.consumer].judge(read.record, read.contracts));
    const settled = await store.settle(entry, look);
    yield settled.kind === 'wrong' ? { entry, kind: 'wrong', reason: settled.reason } : { entry, kind: settled.kind };
  }
}
