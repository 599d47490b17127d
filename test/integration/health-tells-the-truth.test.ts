/** What a running sink says of itself, over HTTP, is what is so; and it says no more than is documented. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { framed, writeTo } from '../support/foreign-writer.ts';
import { strangeLines } from '../support/log-lines.ts';
import { REPOSITORY, type RunningProcess } from '../support/processes.ts';
import { caughtUp } from '../support/stack-database.ts';
import { deviationsFrom, recordsOf } from '../support/stack-events.ts';
import { enterScene, type Scene } from '../support/stack-scene.ts';
import { endsOf } from '../support/topics.ts';
import { waitFor } from '../support/wait-for.ts';
import { freePort } from '../../stack/ports.ts';

let scene: Scene;
let sink: RunningProcess;
let base: string;

beforeAll(async () => {
  scene = await enterScene('health', { partitions: 2 });
  const port = await freePort();
  base = `http://127.0.0.1:${port}`;
  sink = scene.start(['sink', '--group', scene.groups.sink], {
    HEALTH_PORT: String(port),
    LOG_LEVEL: 'debug',
  });
  await sink.logged('ready');
});
afterAll(() => scene.leave());

const ask = async (path: string): Promise<{ readonly status: number; readonly text: string }> => {
  const answer = await fetch(base + path, { signal: AbortSignal.timeout(5_000) });
  return { status: answer.status, text: await answer.text() };
};

/** `name{labels}` to its figure, without the consumer's label, which every series has. */
const series = async (): Promise<ReadonlyMap<string, number>> => {
  const { text } = await ask('/metrics');
  return new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line): [string, number] => {
        const [, name = '', labels = '', figure = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
        const kept = labels.split(',').filter((label) => label !== 'consumer="sink"' && label !== '');
        return [kept.length === 0 ? name : `${name}{${kept.join(',')}}`, Number(figure)];
      }),
  );
};

test('it is alive at once and ready when its partitions are claimed', async () => {
  await waitFor('the sink to be ready', async () => (await ask('/healthz')).text.includes('"ready":true'));
  expect(await ask('/healthz')).toEqual({
    status: 200,
    text: '{"alive":true,"ready":true,"stuck":false,"holding":0}\n',
  });
  expect((await ask('/')).status).toBe(404);
});

test('each outcome and each reason is counted, and the lag is none when everything is handled', async () => {
  const good = await recordsOf(deviationsFrom(1, 30));
  const [again] = good;
  await writeTo(scene.topic, [
    ...good,
    { key: 'canary-7d1f', value: Buffer.from('canary-7d1f') },
    { key: 'canary-7d1f', value: null },
    { key: 'canary-7d1f', value: framed(0, Buffer.alloc(3)) },
    ...(again === undefined ? [] : [again]),
  ]);
  await caughtUp(scene.databaseFile, 'sink', await endsOf(scene.topic), sink.stderr);
  await waitFor('the counters to have all of it', async () => {
    const figures = await series();
    return figures.get('session_events_records_total{outcome="stored"}') === 30;
  });
  const figures = await series();
  expect(Object.fromEntries([...figures].filter(([, figure]) => figure !== 0))).toEqual({
    'session_events_records_total{outcome="stored"}': 30,
    'session_events_records_total{outcome="duplicate"}': 1,
    'session_events_records_total{outcome="quarantined"}': 3,
    'session_events_quarantined_total{reason="NOT_FRAMED"}': 1,
    'session_events_quarantined_total{reason="VALUE_NULL"}': 1,
    'session_events_quarantined_total{reason="SCHEMA_UNKNOWN"}': 1,
    session_events_ready: 1,
  });
  expect((await ask('/metrics')).text).not.toContain('canary');
});

test('the set of series is the one that docs/operations.md names', async () => {
  const names = new Set([...(await series()).keys()].map((name) => name.replace(/\{.*/, '')));
  const documented =
    readFileSync(join(REPOSITORY, 'docs', 'operations.md'), 'utf8').match(/`session_events_\w+/g) ?? [];
  expect([...names].sort()).toEqual([...new Set(documented.map((name) => name.slice(1)))].sort());
});

test('what only grows is a counter, and nothing else is', async () => {
  const types = [...(await ask('/metrics')).text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => ({
    name,
    type,
  }));
  expect(types.length).toBeGreaterThan(0);
  expect(types).toEqual(types.map(({ name }) => ({ name, type: name?.endsWith('_total') ? 'counter' : 'gauge' })));
});

test('the page ends with the sink, which has said nothing on stderr but lines of the documented kind', async () => {
  sink.kill('SIGTERM');
  expect(await sink.ended()).toMatchObject({ code: 0, stdout: '' });
  expect(sink.log().map(({ msg }) => msg)).toEqual(
    expect.arrayContaining(['quarantined a record', 'flushed', 'stopped']),
  );
  expect(strangeLines(sink.stderr())).toEqual([]);
  await expect(ask('/healthz')).rejects.toThrow();
});
