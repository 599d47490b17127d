import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  type Answer,
  createDeviationProducer,
  type DeviationProducer,
  type ProducerOptions,
  REFUSAL_CODES,
  refused,
} from '../../producer/index.ts';
import { AGENTES, aContext, aReport } from '../support/builders.ts';
import { runFuzz } from '../support/canary-run.ts';

/** The million is for `npm run fuzz`. */
const CALLS = 20_000;
const SEED = 1_130;
const STOP_MS = 5_000;

const TABLE = REFUSAL_CODES.map((code) => JSON.stringify(refused(code))).sort();

test(`${CALLS} refused calls, seed ${SEED}, get the ten texts of the table and no other`, async () => {
  const { answers, recorded, hits, refused: counts } = await runFuzz({ calls: CALLS, seed: SEED, onlyRefused: true });
  expect([...answers].sort()).toEqual(TABLE);
  expect(recorded).toBe(0);
  expect(hits).toEqual([]);
  // The messages of MCP that are no call get no answer of ours.
  expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(CALLS * 0.97);
}, 300_000);

test('the ten texts are ten', () => {
  expect(new Set(TABLE).size).toBe(REFUSAL_CODES.length);
});

describe('the outbox that is really there', () => {
  let folder: string;
  const open: DeviationProducer[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'refusals-'));
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((producer) => producer.close(STOP_MS)));
    rmSync(folder, { recursive: true });
  });

  /** With a broker and a registry that nobody runs: the outbox takes what it can. */
  const producerWith = (options: Partial<ProducerOptions>): DeviationProducer => {
    const producer = createDeviationProducer({
      agents: AGENTES,
      kafka: { brokers: ['127.0.0.1:1'] },
      registry: { url: 'http://127.0.0.1:1' },
      outboxFile: join(folder, 'outbox.db'),
      ...options,
    });
    open.push(producer);
    return producer;
  };

  const reportTo = (producer: DeviationProducer, toolCallId: string): Promise<Answer> =>
    producer.report(aReport({ context: aContext({ toolCallId }) }));

  test('says OUTBOX_FULL when it holds as many rows as it may', async () => {
    const producer = producerWith({ outboxLimits: { maxRows: 1 } });
    expect(await reportTo(producer, 'first')).toMatchObject({ recorded: true });
    expect(await reportTo(producer, 'second')).toEqual(refused('OUTBOX_FULL'));
  });

  test('says OUTBOX_UNAVAILABLE when its file cannot be opened', async () => {
    const file = join(folder, 'a-file');
    writeFileSync(file, '');
    const producer = producerWith({ outboxFile: join(file, 'outbox.db') });
    expect(await reportTo(producer, 'first')).toEqual(refused('OUTBOX_UNAVAILABLE'));
  });

  test('says CLOSED once it is closed', async () => {
    const producer = producerWith({});
    await producer.close(STOP_MS);
    expect(await reportTo(producer, 'first')).toEqual(refused('CLOSED'));
  });
});
