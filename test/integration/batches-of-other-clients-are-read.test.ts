/** Whoever writes and however: compressed, in transactions that end well or not, the events are read and the lag reaches zero. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { CompressionTypes, Partitioners } from 'kafkajs';
import { framed } from '../support/foreign-writer.ts';
import { isKcatHere } from '../support/kcat.ts';
import type { RunningProcess } from '../support/processes.ts';
import { caughtUp, countersOf, select } from '../support/stack-database.ts';
import { deviationsFrom, type EventRecord, recordsOf } from '../support/stack-events.ts';
import { enterScene, type Scene } from '../support/stack-scene.ts';
import { brokers, committedOf, endsOf, foreignKafka } from '../support/topics.ts';
import { waitFor } from '../support/wait-for.ts';

const EACH = 40;
const CODECS = ['gzip', 'snappy', 'lz4', 'zstd'] as const;
const KAFKAJS_CODEC = {
  gzip: CompressionTypes.GZIP,
  snappy: CompressionTypes.Snappy,
  lz4: CompressionTypes.LZ4,
  zstd: CompressionTypes.ZSTD,
} as const;

let scene: Scene;
let sink: RunningProcess;
let written = 0;
/** Those that were committed, in the order of their ids. */
const expected: string[] = [];

beforeAll(async () => {
  scene = await enterScene('other-clients', { partitions: 2 });
  sink = scene.consume('sink');
});
afterAll(() => scene.leave());

const next = async (howMany: number, { isKept = true } = {}): Promise<readonly EventRecord[]> => {
  const events = deviationsFrom(written + 1, howMany);
  written += howMany;
  if (isKept) expected.push(...events.map(({ event }) => event.eventId));
  return recordsOf(events);
};

const expectAllStored = async (): Promise<void> => {
  const ends = await endsOf(scene.topic);
  await caughtUp(scene.databaseFile, 'sink', ends, sink.stderr);
  expect(select(scene.databaseFile, 'select id from session_events order by id').map(({ id }) => id)).toEqual(expected);
  expect(countersOf(scene.databaseFile, 'sink')).toEqual({
    stored: expected.length,
    duplicate: 0,
    filtered: 0,
    quarantined: 0,
  });
  // Holes are no reason to seek: each fetch asked where the one before had ended.
  expect(sink.log().filter(({ msg }) => msg === 'a fetch asked elsewhere than at the position')).toEqual([]);
  await waitFor('the group to have committed the end', async () => {
    const committed = await committedOf(scene.groups.sink, scene.topic);
    return [...ends].every(([partition, end]) => end === 0n || committed.get(partition) === end);
  });
};

const asMessages = (records: readonly EventRecord[], partition = 0) =>
  records.map(({ key, value, headers }) => ({ key, value, headers: { ...headers }, partition }));

/** One after the other, each committed or aborted. */
const writeTransactions = async (partition: number, fates: readonly boolean[]): Promise<void> => {
  const producer = foreignKafka().producer({
    transactionalId: `${scene.topic}-writer-${partition}`,
    maxInFlightRequests: 1,
    idempotent: true,
    createPartitioner: Partitioners.DefaultPartitioner,
  });
  await producer.connect();
  try {
    for (const isKept of fates) {
      const transaction = await producer.transaction();
      const messages = asMessages(await next(EACH, { isKept }), partition);
      await transaction.send({ topic: scene.topic, messages });
      await (isKept ? transaction.commit() : transaction.abort());
    }
  } finally {
    await producer.disconnect();
  }
};

test.each(CODECS)('batches that kafkajs wrote with %s', async (codec) => {
  const producer = foreignKafka().producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  try {
    const messages = asMessages(await next(EACH));
    await producer.send({ topic: scene.topic, compression: KAFKAJS_CODEC[codec], messages });
  } finally {
    await producer.disconnect();
  }
  await expectAllStored();
});

/** Runs kcat (librdkafka) and answers its exit code. */
const kcat = async (args: readonly string[], input: Buffer): Promise<unknown> => {
  const child = spawn('kcat', ['-b', brokers(), ...args], { stdio: ['pipe', 'ignore', 'ignore'] });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [code] = await once(child, 'close');
  return code;
};

const hasKcat = isKcatHere();
if (!hasKcat) process.stderr.write('batches of librdkafka: skipped, there is no kcat on the PATH\n');

/** In no record: kcat splits its input by them. */
const BETWEEN = '~~~~between~~~~';
const AFTER_KEY = '~~~~key~~~~';

(hasKcat ? test : test.skip).each(CODECS)('batches that librdkafka wrote with %s', async (codec) => {
  const lines = (await next(EACH)).map(({ key, value }) => Buffer.concat([Buffer.from(key + AFTER_KEY), value]));
  const input = Buffer.concat(lines.flatMap((line, index) => [...(index > 0 ? [Buffer.from(BETWEEN)] : []), line]));
  const how = ['-z', codec, '-K', AFTER_KEY, '-D', BETWEEN, '-X', 'linger.ms=200'];
  expect(await kcat(['-P', '-t', scene.topic, '-p', '0', ...how], input)).toBe(0);
  await expectAllStored();
});

test('transactions that were committed are read, aborted ones are not, and the position passes the markers', async () => {
  await writeTransactions(0, [true, false, true, false, false]);
  // Each transaction ends with a marker, which has an offset and is no record; the broker answers before it is written.
  await waitFor(
    'a marker behind each transaction',
    async () => Number((await endsOf(scene.topic)).get(0)) === written + 5,
  );
  await expectAllStored();
});

test('a start before or behind aborted records and markers goes on without another claim', async () => {
  sink.kill('SIGTERM');
  expect(await sink.ended()).toMatchObject({ code: 0 });
  // Nothing of this partition was read yet, so its first fetch asks where an aborted record is.
  await writeTransactions(1, [false, true]);
  sink = scene.consume('sink');
  await sink.logged('claimed a partition');
  const [record] = await next(1);
  const producer = foreignKafka().producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  await producer.send({ topic: scene.topic, messages: record === undefined ? [] : asMessages([record]) });
  await producer.disconnect();
  await expectAllStored();
  expect(sink.log().filter(({ msg }) => msg === 'claimed a partition')).toHaveLength(2);
});

test('a batch that unpacks to nothing that was framed is set aside, not stumbled over', async () => {
  const producer = foreignKafka().producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  await producer.send({
    topic: scene.topic,
    compression: CompressionTypes.ZSTD,
    // A megabyte of zeroes, which is a hundred bytes on the wire.
    messages: [{ key: null, partition: 0, value: framed(1, Buffer.alloc(900_000)) }],
  });
  await producer.disconnect();
  await caughtUp(scene.databaseFile, 'sink', await endsOf(scene.topic), sink.stderr);
  expect(select(scene.databaseFile, 'select count(*) as n from quarantine')).toEqual([{ n: 1 }]);
});
