/** The relay over a sender of the test's own, which can be told to answer, refuse or stay silent. */
import type { Held } from '../../producer/outbox/lock-file.ts';
import type { WaitingRows } from '../../producer/outbox/waiting-rows.ts';
import { type Relay, type RelayParts, startRelay } from '../../producer/relay/relay.ts';
import { type kafka, schemaId, StreamError } from '../../wire/index.ts';
import { type KeptLog, keepLog } from './faults-service.ts';

/** The broker's refusal in the words of our port. */
export const brokerSays = (code: string): StreamError =>
  new StreamError('BROKER_UNREACHABLE', 'made by the test', 'nothing', code);

export type OnSend = (ids: readonly string[], records: readonly kafka.OutgoingRecord[]) => Promise<void> | void;

export interface TriedRelay extends KeptLog {
  readonly relay: Relay;
  /** The event ids of every send that was tried, in order. */
  readonly sends: readonly (readonly string[])[];
  /** Those of the sends that were acknowledged. */
  readonly acknowledged: readonly string[];
  readonly most: () => { readonly inFlight: number; readonly senders: number };
  readonly senders: () => { readonly made: number; readonly closed: number };
}

export const eventIdOf = ({ headers }: kafka.OutgoingRecord): string => headers['ce_id'] ?? '';

export const free = (): Held => ({ release: () => {} });

export const tryRelay = (rows: WaitingRows, onSend: OnSend, given: Partial<RelayParts> = {}): TriedRelay => {
  const kept = keepLog();
  const sends: (readonly string[])[] = [];
  const acknowledged: string[] = [];
  let [inFlight, mostInFlight, made, closed, mostSenders] = [0, 0, 0, 0, 0];
  const relay = startRelay({
    rows,
    tryLease: free,
    createSender: () => {
      made += 1;
      mostSenders = Math.max(mostSenders, made - closed);
      return {
        send: async (records) => {
          const ids = records.map(eventIdOf);
          sends.push(ids);
          inFlight += 1;
          mostInFlight = Math.max(mostInFlight, inFlight);
          try {
            await onSend(ids, records);
            acknowledged.push(...ids);
          } finally {
            inFlight -= 1;
          }
        },
        close: () => {
          closed += 1;
          return Promise.resolve();
        },
      };
    },
    schemaIdOf: () => Promise.resolve(schemaId(7)),
    checkTopic: () => Promise.resolve(),
    log: kept.log,
    onChange: () => {},
    ...given,
  });
  return {
    ...kept,
    relay,
    sends,
    acknowledged,
    most: () => ({ inFlight: mostInFlight, senders: mostSenders }),
    senders: () => ({ made, closed }),
  };
};

export const HOLDS = 'the relay holds';
