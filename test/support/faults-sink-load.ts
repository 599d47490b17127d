/**
 * What a sink meets on the topic: deviations, repeats of them, other types, wrong records, and offsets without a record. Each
 * record says in a header of its own what must become of it, so that whoever reads the topic can tell.
 */
import { Partitioners, type Producer } from 'kafkajs';
import { EVENT_TYPES } from '../../schemas/index.ts';
import { type ForeignMessage, framed } from './foreign-writer.ts';
import type { Rng } from './faults-rng.ts';
import { deviationsFrom, idsOf, projectablesFrom, recordsUnder } from './stack-events.ts';
import { endsOf, foreignKafka } from './topics.ts';
import { waitFor } from './wait-for.ts';

/** A broker takes a request of a megabyte. */
const MOST_AT_ONCE = 500;

/** What the header says: `row`, `filtered`, or the reason of the quarantine. The sink knows no such header. */
export const EXPECTED = 'x-expected';

export interface LoadShape {
  readonly repeats: number;
  readonly foreign: number;
  readonly wrong: number;
  /** Of the waves: how many are written in a transaction that is aborted. */
  readonly aborted: number;
}

export const SHAPE_PLAIN: LoadShape = { repeats: 0, foreign: 0, wrong: 0, aborted: 0 };

export const shapeOf = (rng: Rng): LoadShape => ({
  repeats: rng.pick([0, 0.05, 0.5]),
  foreign: rng.pick([0, 0.1, 0.6]),
  wrong: rng.pick([0, 0.01, 0.2]),
  aborted: rng.pick([0, 0.2]),
});

export interface SinkLoad {
  /** So many records, in one request or a few. */
  write(howMany: number): Promise<void>;
  /** As they are, besides. */
  writeThese(messages: readonly ForeignMessage[]): Promise<void>;
  /** Waves one after another, until it is told to end; answers how it is told. */
  writeOn(rng: Rng): () => Promise<void>;
  /** Looks at the topic anew: it has more partitions by now. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

/** The record with what must become of it. */
export const expecting = (message: ForeignMessage, what: string): ForeignMessage => ({
  ...message,
  headers: { ...message.headers, [EXPECTED]: what },
});

/** Wrong ones for which a good one is enough; the rest is the business of `poison-records.ts`. */
export const wronged = (good: ForeignMessage, rng: Rng): ForeignMessage => {
  const value = good.value ?? Buffer.alloc(0);
  const [reason, wrong] = rng.pick<readonly [string, Buffer | null]>([
    ['VALUE_NULL', null],
    ['VALUE_EMPTY', Buffer.alloc(0)],
    ['NOT_FRAMED', Buffer.from('{"eventId": 1}')],
    ['SCHEMA_UNKNOWN', framed(0, value.subarray(5))],
    ['TRUNCATED', value.subarray(0, -1)],
    ['TRAILING_BYTES', Buffer.concat([value, Buffer.alloc(1)])],
  ]);
  return expecting({ ...good, value: wrong }, reason);
};

/** `first` is the number of its first event: no two loads of a test share one. */
export const openLoad = async (topic: string, first: number, rng: Rng, shape: LoadShape): Promise<SinkLoad> => {
  const kafka = foreignKafka();
  const options = { allowAutoTopicCreation: false, createPartitioner: Partitioners.DefaultPartitioner };
  let producer = kafka.producer(options);
  await producer.connect();
  // Once: on a busy machine the registry is slow, and it is no part of the fault.
  const ids = await waitFor('the registry to know our types', () => idsOf(EVENT_TYPES).catch(() => undefined));
  let aborting: Producer | undefined;
  let next = first;
  const written: ForeignMessage[] = [];

  const make = (howMany: number): readonly ForeignMessage[] => {
    const goods = recordsUnder(ids, deviationsFrom(next, howMany));
    const others = recordsUnder(ids, projectablesFrom(next, howMany));
    next += howMany;
    return goods.map((good, index) => {
      const other = others[index];
      if (rng.chance(shape.foreign) && other !== undefined) return expecting(other, 'filtered');
      if (rng.chance(shape.wrong)) return wronged(good, rng);
      const repeated =
        written.length > 0 && rng.chance(shape.repeats) ? written[rng.between(0, written.length - 1)] : undefined;
      const message = repeated ?? expecting(good, 'row');
      if (repeated === undefined) written.push(message);
      return message;
    });
  };

  let writing: Promise<unknown> = Promise.resolve();
  const send = (messages: readonly ForeignMessage[]): Promise<unknown> => {
    writing = producer.send({ topic, acks: -1, messages: [...messages] });
    return writing;
  };

  const abortOne = async (): Promise<void> => {
    if (aborting === undefined) {
      const given = { transactionalId: `${topic}-aborts`, maxInFlightRequests: 1, idempotent: true };
      aborting = kafka.producer({ ...options, ...given });
      await aborting.connect();
    }
    const transaction = await aborting.transaction();
    const events = deviationsFrom(next, rng.between(1, 20));
    next += events.length;
    const sent = await transaction.send({
      topic,
      messages: recordsUnder(ids, events).map((one) => ({ ...one, headers: { ...one.headers } })),
    });
    await transaction.abort();
    // The broker answers before its markers are in the log; until then the log seems to end before the transaction.
    await waitFor('the markers of an aborted transaction', async () => {
      const ends = await endsOf(topic);
      return sent.every(({ partition, baseOffset }) => (ends.get(partition) ?? 0n) > BigInt(baseOffset ?? 0));
    });
  };

  /** A producer has one transaction at a time, and two may write at once here. */
  let lastAbort: Promise<void> = Promise.resolve();
  const abort = (): Promise<void> => {
    lastAbort = lastAbort.then(abortOne);
    return lastAbort;
  };

  const write = async (howMany: number): Promise<void> => {
    for (let left = howMany; left > 0; ) {
      const size = Math.min(left, rng.between(1, 400));
      left -= size;
      if (rng.chance(shape.aborted)) await abort();
      await send(make(size));
    }
  };

  return {
    write,
    writeThese: async (messages) => {
      for (let from = 0; from < messages.length; from += MOST_AT_ONCE) {
        await send(messages.slice(from, from + MOST_AT_ONCE));
      }
    },
    writeOn: (ownRng) => {
      let isOver = false;
      const waves = (async () => {
        while (!isOver) await write(ownRng.between(1, 150));
      })();
      // Told when it is waited for.
      waves.catch(() => {});
      return () => {
        isOver = true;
        return waves;
      };
    },
    refresh: async () => {
      const before = producer;
      const fresh = kafka.producer(options);
      await fresh.connect();
      producer = fresh;
      await writing;
      await before.disconnect();
    },
    close: async () => {
      await Promise.all([producer.disconnect(), aborting?.disconnect()]);
    },
  };
};
