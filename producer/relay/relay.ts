/**
 * The one who sends. States: without the lease (another process sends) → idle (nothing waits) → sending (one batch in
 * flight, acks=all) → idle, or holding (something outside is away: retried for ever, with jitter and a cap). Rows leave
 * the outbox after the acknowledgement, while the next batch is in flight if there is one; a row whose leaving fails is
 * remembered and not sent again.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  backoffMs,
  codeOf,
  frame,
  isStreamError,
  type kafka,
  type Log,
  type SchemaId,
  sqliteCodeOf,
} from '../../wire/index.ts';
import type { Held } from '../outbox/lock-file.ts';
import { problemOf } from '../outbox/problem.ts';
import type { RelayState, WaitingRow, WaitingRows } from '../outbox/waiting-rows.ts';
import { recordsOwnFault } from './refusal.ts';
import { createWaker } from './waker.ts';

/** Rows in one send: the knee of the measured curve; grouping more is quadratic in the client. */
const BATCH_ROWS = 400;
/** First wait and the longest one after a failure, in milliseconds. */
const WAITS = { firstMs: 100, capMs: 30_000 } as const;
/** How often an idle relay looks for rows of other processes, and a waiting one for the lease, in milliseconds. */
const LOOK_MS = 500;
/** After so long without a row the connection is given up: an idle producer has no sockets; in milliseconds. */
const IDLE_DISCONNECT_MS = 10_000;

export interface RelayParts {
  readonly rows: WaitingRows;
  /** The lease between processes, or undefined while another one holds it. */
  readonly tryLease: () => Held | undefined;
  readonly createSender: () => kafka.Sender;
  /** The registry's id for the schema text of this hash; rejects while it cannot be known. Undefined: no such text here. */
  readonly schemaIdOf: (schemaHash: string) => Promise<SchemaId | undefined>;
  /** Rejects while the topic cannot be written to. */
  readonly checkTopic: () => Promise<void>;
  readonly log: Log;
  readonly onChange: () => void;
}

export interface Relay {
  /** New rows may wait. */
  wake(): void;
  /** Ends once the send in flight is over; the rest waits for the next process. */
  stop(): Promise<void>;
}

export const startRelay = (parts: RelayParts): Relay => {
  const { rows, log } = parts;
  const waker = createWaker();
  /** Acknowledged rows that could not be dropped yet. */
  const acknowledged = new Set<number>();
  /** A full batch, read while the one before it was in flight. */
  let ahead: readonly WaitingRow[] = [];
  let isStopping = false;
  let lease: Held | undefined;
  let sender: kafka.Sender | undefined;
  let isTopicChecked = false;
  let told: { readonly state: RelayState; readonly code: string | undefined } | undefined;

  /** `status` reads it from the file; a file that cannot be written has its own alarm. */
  const tell = (state: RelayState, code?: string): void => {
    if (told?.state === state && told.code === code) return;
    told = { state, code };
    try {
      rows.tell(state, code);
    } catch {
      told = undefined;
    }
    parts.onChange();
  };

  const disconnect = async (): Promise<void> => {
    const old = sender;
    sender = undefined;
    await old?.close();
  };

  const dropAcknowledged = (): void => {
    if (acknowledged.size === 0) return;
    rows.drop([...acknowledged]);
    acknowledged.clear();
  };

  const setAside = (row: WaitingRow, code: string): void => {
    rows.setAside(row.seq, code);
    log.error('set a row of the outbox aside', {
      code,
      count: 1,
      next: 'See it: deviations outbox list; then retry or discard it',
    });
    parts.onChange();
  };

  const send = async (batch: readonly WaitingRow[], ids: ReadonlyMap<string, SchemaId>): Promise<void> => {
    sender ??= parts.createSender();
    try {
      await sender.send(
        batch.flatMap(({ key, headers, body, schemaHash }) => {
          const id = ids.get(schemaHash);
          return id === undefined ? [] : [{ key, headers, value: frame(id, body) }];
        }),
      );
      for (const { seq } of batch) acknowledged.add(seq);
    } catch (error) {
      const fault = recordsOwnFault(error);
      const [only] = batch;
      if (fault === undefined || only === undefined) throw error;
      if (batch.length === 1) {
        setAside(only, fault);
        return;
      }
      // One of them is refused: halves find it, and its neighbours go out.
      const middle = Math.ceil(batch.length / 2);
      await send(batch.slice(0, middle), ids);
      await send(batch.slice(middle), ids);
    }
  };

  const nextBatch = (): readonly WaitingRow[] => {
    const batch = ahead;
    ahead = [];
    if (batch.length > 0) return batch;
    dropAcknowledged();
    return rows.oldest(BATCH_ROWS, 0);
  };

  /** The disk's part of a batch, done while the broker does its own: drops the last one and reads the next one. */
  const readAhead = (inFlight: readonly WaitingRow[]): void => {
    dropAcknowledged();
    const [first, last] = [inFlight.at(0), inFlight.at(-1)];
    const [oldest] = rows.oldest(1, 0);
    // An older row than those in flight was set aside and is to be tried again: it comes first.
    if (first === undefined || last === undefined || oldest === undefined || oldest.seq < first.seq) return;
    const batch = rows.oldest(BATCH_ROWS, last.seq);
    // More may come until this send is over: a batch that is not full is read anew.
    if (batch.length === BATCH_ROWS) ahead = batch;
  };

  const sendAndReadAhead = async (batch: readonly WaitingRow[], ids: ReadonlyMap<string, SchemaId>): Promise<void> => {
    const sending = send(batch, ids);
    if (batch.length < BATCH_ROWS) return sending;
    sending.catch(() => {}); // awaited below, whatever happens here
    try {
      await nextTurn(); // the request is on its way
      readAhead(batch);
    } finally {
      await sending;
    }
  };

  /** Answers whether there was anything to do. */
  const relayOnce = async (): Promise<boolean> => {
    const batch = nextBatch();
    if (batch.length === 0) return false;
    if (!isTopicChecked) await parts.checkTopic();
    isTopicChecked = true;
    const ids = new Map<string, SchemaId>();
    for (const hash of new Set(batch.map(({ schemaHash }) => schemaHash))) {
      const id = await parts.schemaIdOf(hash);
      if (id !== undefined) ids.set(hash, id);
    }
    tell('sending');
    for (const row of batch) if (!ids.has(row.schemaHash)) setAside(row, 'SCHEMA_TEXT_UNKNOWN');
    const sendable = batch.filter(({ schemaHash }) => ids.has(schemaHash));
    if (sendable.length > 0) await sendAndReadAhead(sendable, ids);
    if (ahead.length === 0) dropAcknowledged();
    parts.onChange();
    return true;
  };

  const hold = async (error: unknown, attempt: number): Promise<void> => {
    const waitMs = backoffMs(attempt, WAITS.firstMs, WAITS.capMs);
    // A failure of the outbox's own file has the operator's name for it.
    const code = sqliteCodeOf(error) === undefined ? codeOf(error) : problemOf(error);
    log.warn('the relay holds', {
      code,
      waitMs,
      ...(isStreamError(error) ? { where: error.where, next: error.next } : {}),
    });
    tell('holding', code);
    try {
      rows.countRetry();
    } catch {
      // The file has its own alarm.
    }
    isTopicChecked = false;
    ahead = [];
    // A connection that failed is not trusted again: kafkajs may never reconnect after an idle close.
    await disconnect();
    await waker.wait(waitMs, { wakesOnRows: false });
  };

  const run = async (): Promise<void> => {
    let failures = 0;
    let idleSinceMs = Number.NEGATIVE_INFINITY;
    while (!isStopping) {
      try {
        lease ??= parts.tryLease();
        const didSomething = lease !== undefined && (await relayOnce());
        failures = 0;
        if (didSomething) {
          idleSinceMs = performance.now();
          continue;
        }
        const idleMs = performance.now() - idleSinceMs;
        // Between the reports of a busy engine it is idle hundreds of times a second.
        if (lease !== undefined && idleMs > LOOK_MS) tell('idle');
        if (sender !== undefined && idleMs > IDLE_DISCONNECT_MS) await disconnect();
        await waker.wait(LOOK_MS, { wakesOnRows: lease !== undefined });
      } catch (error) {
        await hold(error, failures);
        failures += 1;
      }
    }
    try {
      dropAcknowledged();
      if (told?.state === 'sending') tell('idle');
    } catch {
      // Sent again by the next process: twice on the topic is once in the table.
    }
    await disconnect();
    lease?.release();
  };

  const running = run();
  return {
    wake: () => waker.wake(),
    stop: async () => {
      isStopping = true;
      waker.end();
      await running;
    },
  };
};
