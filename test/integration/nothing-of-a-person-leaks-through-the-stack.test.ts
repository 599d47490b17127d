/**
 * Reports full of marks through the real program: `report` and `mcp` at the noisiest level, the outbox, the broker, both
 * consumers, the database, the tools. `npm run fuzz` does the same with 2,000 calls.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DEFAULT_LIMITS } from '../../producer/index.ts';
import { createAppender } from '../../producer/outbox/append.ts';
import { openOutboxFile } from '../../producer/outbox/outbox-file.ts';
import { storable, submissionOf } from '../../producer/submission.ts';
import { aDeviation } from '../support/builders.ts';
import { bareCall } from '../support/canary-paths.ts';
import { noisyEnv, runStackFuzz, search } from '../support/canary-stack.ts';
import { filesOf, topicOf } from '../support/canary-surfaces.ts';
import { Tally } from '../support/canary-tally.ts';
import { deviations } from '../support/processes.ts';
import { enterScene, type Scene } from '../support/stack-scene.ts';

const CALLS = 400;
const SEED = 4_205;
const LIMIT_MS = 300_000;

describe(`of ${CALLS} calls through the stack, seed ${SEED}`, () => {
  let tally: Tally;
  beforeAll(async () => {
    tally = await runStackFuzz({ calls: CALLS, seed: SEED });
  }, LIMIT_MS);

  test('no mark is in the topic, the files, the tables, the answers, the logs or the listings', () => {
    expect(tally.hits).toEqual([]);
  });

  test('every mark was planted', () => {
    expect(tally.missing).toEqual([]);
    expect(tally.calls).toBe(CALLS);
  });

  test('those that were recorded became rows, and none was quarantined', () => {
    expect(tally.recorded).toBeGreaterThan(CALLS / 2);
    expect(tally.judged.get('row')).toBe(tally.recorded);
    expect(tally.judged.get('quarantined')).toBe(0);
  });

  test('each surface was there to be searched', () => {
    expect(tally.searched.has('stderr of mcp')).toBe(true); // silent, unless a line was no message
    const filled = [...tally.searched].filter(([, length]) => length > 0).map(([name]) => name);
    expect(filled).toEqual(
      expect.arrayContaining([
        'stdout of report',
        'stderr of report',
        'stdout of mcp',
        'file outbox.db',
        'file session-events.db',
        'file session-events.db-wal',
        'tables',
        'record keys',
        'record headers',
        'record values',
        'query',
        'status',
        'doctor',
        'outbox list',
        'position show',
        'topic show',
        '/metrics of sink',
        '/healthz of sink',
        '/metrics of graph',
        'log of sink',
        'log of graph',
      ]),
    );
  });
});

describe('a build that lets a mark into the outbox', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await enterScene('a-build-that-leaks', { partitions: 1 });
  });
  afterAll(() => scene.leave());

  test('is caught in its file, also once the row is gone, and on the topic', async () => {
    const call = bareCall(SEED, 1);
    const env = noisyEnv(scene);
    const counts = {
      discardedFields: 1,
      evidence: { kept: 0, duplicates: 0, malformed: 0, unknown: 0, overCeiling: 0 },
    };
    const right = submissionOf(aDeviation(), undefined, counts);
    const leaking = { ...right, headers: { ...right.headers, ce_dataref: call.plant.text('a header more') } };
    const outbox = openOutboxFile(join(scene.folder, 'outbox.db'));
    createAppender(outbox, DEFAULT_LIMITS, Date.now).append([storable(leaking)], new Map());
    outbox.close();
    const waiting = new Tally();
    search(filesOf(scene.folder), [call], waiting);
    expect(waiting.hits.map(({ surface }) => surface)).toContain('file outbox.db');

    expect(await deviations(['report'], { env, cwd: scene.folder })).toMatchObject({ code: 0 });
    const relayed = new Tally();
    search([...filesOf(scene.folder), ...(await topicOf(scene))], [call], relayed);
    expect(new Set(relayed.hits.map(({ surface }) => surface))).toEqual(new Set(['file outbox.db', 'record headers']));
  });
});
